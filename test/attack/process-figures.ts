import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in ticks of 10 ms. */
const TICK_MS = 10;
const NANOSECONDS = 1e6;

/**
 * Milliseconds of processor time that a process has used, in user and system mode, all its threads together. Where the scheduler
 * keeps statistics they are exact; otherwise it is counted in ticks.
 */
export function cpuMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  if (existsSync(`/proc/${pid}/schedstat`)) {
    const times = readdirSync(tasks).map((task) => Number(statusFile(`${tasks}/${task}/schedstat`).split(' ')[0]));
    return times.reduce((sum, time) => sum + time, 0) / NANOSECONDS;
  }
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Bytes that a process has read by now, from sockets and files alike. */
export function bytesRead(pid: number): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

/** The most memory that a process has had resident, in MiB. */
export function peakMiB(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** A thread may end while it is looked at. */
function statusFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '0';
  }
}
