import { isSignalName, type SignalValues } from '../contract/signals.ts';

/**
 * Values as one answer after another tells them. `blank` has the names of the answer before without their values, and
 * `settled` says what is in one that was written into: itself where the names are the same. So the answers of a recording
 * share one form; built up name by name, an object of many becomes a hash table, which costs several times as much to
 * write, to go through and to read.
 */
export type SignalShape = {
  blank: () => SignalValues;
  settled: (written: SignalValues) => SignalValues;
};

/** A shape that knows no answer yet. */
export function signalShape(): SignalShape {
  let template: SignalValues = {};
  let names = 0;
  return {
    blank: () => ({ ...template }),
    settled(written) {
      let told = 0;
      let count = 0;
      for (const name in written) {
        count += 1;
        if (isSignalName(name) && written[name] !== undefined) told += 1;
      }
      if (told === count && count === names) return written;
      const values = toldOf(written);
      template = blankOf(values);
      names = told;
      return values;
    },
  };
}

function toldOf(written: SignalValues): SignalValues {
  const told = { ...written };
  for (const name in written) {
    if (isSignalName(name) && written[name] === undefined) delete told[name];
  }
  return told;
}

function blankOf(values: SignalValues): SignalValues {
  // A copy of a hash table has the form of an object.
  const blank = { ...values };
  for (const name in blank) if (isSignalName(name)) blank[name] = undefined;
  return blank;
}
