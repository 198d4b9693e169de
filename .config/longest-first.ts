import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longest. One of them that began last would hold up the end of a run alone. */
const longest = [
  'simulator/scenarios',
  'simulator/faulty-week',
  'commands/ledger',
  'first-run/start',
  'garage/recovery',
  'telemetry/killed-between',
  'rest/contract',
  'commands/crash',
  'telemetry/kill',
  'control/operator-verbs',
].map((name) => `/test/${name}.test.ts`);

/** The usual order, but the longest files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(name));
      return place < 0 ? longest.length : place;
    };
    return usual.sort((a, b) => rank(a) - rank(b));
  }
}
