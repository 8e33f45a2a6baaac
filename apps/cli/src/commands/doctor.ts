import { diagnose, mend } from '../doctor';
import { findingLines, wireFinding } from '../doctor/findings';
import type { Output } from '../output';

/** Checks everything from the config file to the relay; with `fix`, after mending what can be mended. */
export async function run(out: Output, { fix = false }: { fix?: boolean }): Promise<number> {
  const { mended, failures } = fix ? mend() : { mended: [], failures: [] };
  const findings = [...failures, ...(await diagnose())];
  const isWell = findings.every(({ state }) => state !== 'failed');
  out.result({ ok: isWell, ...(fix && { mended }), checks: findings.map(wireFinding) }, [
    ...mended.map((what) => `Mended: ${what}`),
    ...findingLines(out, findings),
    isWell ? 'All is well.' : 'Something is wrong; each line above says what to do.',
  ]);
  return isWell ? 0 : 1;
}
