import { setFlagsFromString } from 'node:v8';

/** What a function of WebAssembly may run before it is compiled again, optimized [bytes of code]; the usual is 1.8 MB. */
const TIERING_BUDGET_BYTES = 60_000_000;

/**
 * Lets only what runs long be compiled a second time. The embedded database and the query compiler are WebAssembly of which
 * a start calls thousands of functions some hundred times each; optimizing all those takes longer than the start itself.
 * Counts for what is loaded afterwards in this process, its threads included.
 */
export function optimizeWasmLate(): void {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET_BYTES}`);
}
