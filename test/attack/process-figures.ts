import { readFileSync } from 'node:fs';

/** Linux counts processor time in ticks of 10 ms. */
const TICK_MS = 10;

/** Milliseconds of processor time that a process has used, in user and system mode, all its threads together. */
export function cpuMs(pid: number): number {
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
