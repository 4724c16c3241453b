import { NO_SPACE } from '../disk/simulated-disk.ts'

/** Whether a machine's surroundings, such as a full disk, explain the end of a process. Anything else is a bug. */
export function isExpectedFailure(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (at.message.includes(NO_SPACE) || ('severity' in at && at.severity === 'temporary')) return true
  }
  return false
}
