/** `npm run soak` sets SOAK=1 and runs the long counts whole; `npm test` runs a tenth of them. */
export const SOAK = process.env['SOAK'] === '1';

/** How many histories a run tries. */
export const HISTORIES = SOAK ? 500 : 50;

/** Where they start: the same in every `npm test`, another in every soak; `MODEL_SEED` repeats one. */
export const SEED = Number(process.env['MODEL_SEED'] ?? (SOAK ? Date.now() % 2 ** 31 : 20_250_701));

/** Time for all of them, shrinking a failure included. */
export const LIMIT_MS = SOAK ? 1_800_000 : 150_000;
