import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { z } from 'zod';

const holderSchema = z.object({
  pid: z.number().int().positive(),
  /** When the process started, in the words of its system: tells it from a later one with the same number. */
  started: z.string(),
  /** Where the number means this process: a boot and a process namespace of one machine. */
  machine: z.string(),
});

/** A process that holds the lock of a data folder, as the lock file names it. */
export type LockHolder = z.infer<typeof holderSchema>;

const psTimeoutMs = 5_000;

/** This process. */
export function thisProcess(): LockHolder {
  return { pid: process.pid, started: startOf(process.pid) ?? '', machine: thisMachine() };
}

/** The holder a lock file names, or null when it names none: a released lock is empty. */
export function readHolder(text: string): LockHolder | null {
  try {
    return holderSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Whether the holder still runs; null when that cannot be known, because it is of another machine or container. */
export function holderRuns(holder: LockHolder): boolean | null {
  if (holder.machine !== thisMachine()) return null;
  return startOf(holder.pid) === holder.started;
}

function thisMachine(): string {
  if (process.platform !== 'linux') return hostname();
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
}

function startOf(pid: number): string | null {
  try {
    return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  } catch {
    return null;
  }
}

// Field 22 counts clock ticks since the boot; the name in field 2 may hold spaces and brackets.
function startFromProc(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie holds nothing any more; it only waits for its parent to ask.
  return state === 'Z' ? null : (fields[18] ?? null);
}

function startFromPs(pid: number): string | null {
  const options = { encoding: 'utf8', timeout: psTimeoutMs } as const;
  return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], options).trim() || null;
}
