/** The driver's parts for unsafe blocks of others, put together: the queue, who fills its gaps, and who says what is wrong with them. */
import type { Logger } from '@keelson/primitives'
import type { DriverDependencies } from '../driver-dependencies.ts'
import type { InputQueue } from '../input-queue.ts'
import type { Wakers } from '../wakers.ts'
import { createForkFromPeers } from './fork-from-peers.ts'
import { createGapFiller, type GapFiller } from './gap-filler.ts'
import { createUnsafeFollower, type UnsafeFollower } from './unsafe-follower.ts'
import { createWhyBehind, type WhyBehind, type WhyBehindOptions } from './why-behind.ts'

export interface UnsafeSide {
  readonly unsafeBlocks: UnsafeFollower
  /** Null without peers. */
  readonly gaps: GapFiller | null
  readonly whyBehind: WhyBehind
}

export interface UnsafeSideOptions extends WhyBehindOptions {
  readonly maxUnsafeQueueBytes: number
}

export function createUnsafeSide(
  options: UnsafeSideOptions,
  deps: DriverDependencies,
  { inputs, wakers, log }: { readonly inputs: InputQueue; readonly wakers: Wakers; readonly log: Logger },
): UnsafeSide {
  const { clock, degraded, peers } = deps
  const gaps =
    peers === null
      ? null
      : createGapFiller({
          peers,
          submit({ envelope, from }) {
            inputs.push({ kind: 'unsafe-payload', envelope, from })
            wakers.wake()
          },
          ended: wakers.wake,
          clock,
          log,
        })
  const fork = createForkFromPeers(clock, degraded)
  // a sequencer makes the blocks itself
  const countPeers = deps.sequencer === null && peers !== null ? () => peers.peers().length : null
  return {
    unsafeBlocks: createUnsafeFollower(options.maxUnsafeQueueBytes, { ...deps, log, gaps, fork }),
    gaps,
    whyBehind: createWhyBehind(options, { ...deps, peers: countPeers }),
  }
}
