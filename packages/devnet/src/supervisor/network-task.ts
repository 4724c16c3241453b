/** Tasks that need the whole network stopped or frozen for a moment. */
import type { Clock } from '@keelson/primitives'
import { moveClock } from '../clocks/network-clock.ts'
import { DevnetError } from '../devnet-error.ts'
import { assertCanTake, captureSnapshot, restoreStaged, stageSnapshot } from '../snapshots/snapshots.ts'
import { acquireInstanceLock, endOrphans, readInstance } from './instance-lock.ts'

export interface TaskRequest {
  readonly task: string
  readonly params: Readonly<Record<string, unknown>>
}

export interface NetworkTask {
  readonly title: string
  /** Runs beside the network: refuses what cannot be done. */
  readonly before: () => Promise<void>
  /** `frozen`: the processes stay where they are, and continue. A restart takes longer. */
  readonly pause: 'frozen' | 'stopped'
  /** `l1State` is the dump of L1 of a frozen network. What it returns runs when the network runs again. */
  readonly act: (l1State: Uint8Array | null) => Promise<() => Promise<unknown>>
  /** The network continues at the time that the task left, not at the machine's. */
  readonly keepsClock: boolean
}

/** L2 builds a block for every block time in between. */
export const MAX_TIME_MS = 7 * 86_400_000
const MIN_TIME_MS = 1_000

const nothingMore = async () => undefined

/** Throws DevnetError `node/usage`. */
export function readTask({ task, params }: TaskRequest, folder: string, nowMs: () => number): NetworkTask {
  const name = params.name as string
  switch (task) {
    case 'snapshot':
      return {
        title: `taking snapshot "${name}"`,
        before: () => assertCanTake(folder, name),
        pause: 'frozen',
        act: (l1State) => captureSnapshot(folder, name, { takenMs: nowMs(), l1State }),
        keepsClock: false,
      }
    case 'restore':
      return {
        title: `restoring snapshot "${name}"`,
        before: () => stageSnapshot(folder, name),
        pause: 'stopped',
        act: () => restoreStaged(folder).then(() => nothingMore),
        keepsClock: true,
      }
    case 'time': {
      const byMs = readTime(params.byMs)
      return {
        title: `moving the clocks forward by ${byMs / 1000} s`,
        before: async () => undefined,
        pause: 'stopped',
        act: async () => {
          moveClock(folder, byMs)
          return nothingMore
        },
        keepsClock: false,
      }
    }
    default:
      throw new DevnetError('node/usage', `this network knows no task "${String(task).slice(0, 32)}"; there are snapshot, restore and time`)
  }
}

function readTime(byMs: unknown): number {
  if (typeof byMs === 'number' && byMs % 1000 === 0 && byMs >= MIN_TIME_MS && byMs <= MAX_TIME_MS) return byMs
  throw new DevnetError(
    'node/usage',
    `expected whole seconds, at most ${MAX_TIME_MS / 86_400_000} days, got ${String(byMs).slice(0, 20)} ms`,
  )
}

/** Runs a task on a network that does not run. Throws DevnetError `node/devnet` if it does. */
export async function runTaskOffline(request: TaskRequest, folder: string, clock: Clock): Promise<unknown> {
  const task = readTask(request, folder, clock.nowMs)
  const orphaned = readInstance(folder)
  const lock = acquireInstanceLock(folder, { host: '127.0.0.1', portOffset: 0 })
  try {
    await endOrphans(folder, orphaned, clock)
    await task.before()
    const finish = await task.act(null)
    return await finish()
  } finally {
    lock.release()
  }
}
