/**
 * Notices that the chain has moved past this release. A release knows only the forks of the day on which it was built. At a later
 * fork it would drop or replace blocks that the network accepts, and its operator would follow a chain of his own.
 *
 * States, in order:
 * 1. No conflict. Derivation and the unsafe chain agree.
 * 2. A conflict is noted: the sequencer signed a block that this release cannot decode, or that its execution client rejects.
 *    Nothing stops, because a signature does not make a block part of the chain; L1 does.
 * 3. Stopped: derivation reaches the place of that block, and L1 has its batch. The same batch then has two results, that of the
 *    sequencer and that of this release, and the release is the older of the two. Derivation keeps the attributes and builds nothing.
 *    A signed block in the unsafe chain whose deposits or header differ from those derived from the same batch stops it too: that is
 *    how the first block of a fork looks, which has upgrade transactions. L1 data that cannot be read confirms a conflict as well.
 * 4. The conflict ends when the unsafe chain has a block at that place that derivation confirms, or when L1 replaces the batch.
 *
 * A peer without the sequencer's key cannot cause state 2. The holder of the key cannot cause state 3 on a node that has heard the
 * block of the chain, because that block is confirmed first. The block is stored when derivation stops, and judged again at the next
 * start, by the release that then runs.
 */
import { durationText, type RollupConfig } from '@keelson/chainspec'
import type { DerivedAttributes, DropEvent } from '@keelson/derivation'
import type { Clock, Hash, L1BlockRef, PayloadEnvelope } from '@keelson/primitives'
import type { DegradedStates } from '../degraded-states.ts'
import type { NewerBlockRecord } from './newer-block-record.ts'
import { conflictOfRefused, conflictOfUnreadable, holdsBatch, type SignedConflict, type UnreadableBlock } from './signed-conflict.ts'

export interface Release {
  readonly version: string
  /** ISO 8601, a day. */
  readonly releasedOn: string
}

export interface NewerRulesOptions {
  readonly release: Release
  readonly config: Pick<RollupConfig, 'forks'>
  /** A node that builds blocks itself does not take the unsafe chain as the sequencer's word. */
  readonly followsSequencer: boolean
  /** The block or message that the operator has declared a mistake. */
  readonly distrustedBlock: Hash | null
}

export interface NewerRulesDependencies {
  readonly record: NewerBlockRecord
  readonly degraded: Pick<DegradedStates, 'enter' | 'leave'>
  readonly clock: Pick<Clock, 'nowMs'>
}

export interface UnsafeBlock {
  readonly envelope: PayloadEnvelope
  /** From the derived attributes; null when there is none. */
  readonly difference: string | null
}

/** One block may hold 10 MiB. Conflicts of the lowest heights count, because derivation reaches them first. */
const MAX_CONFLICTS = 8
const UNREADABLE_L1_DATA: ReadonlySet<DropEvent['reason']> = new Set([
  'channel-version-unknown',
  'batch-malformed',
  'batch-transaction-type-unsupported',
])

export class NewerRules {
  readonly #options: NewerRulesOptions
  readonly #deps: NewerRulesDependencies
  readonly #conflicts: SignedConflict[] = []
  /** L1 had data that cannot be read since derivation started. */
  #hasUnreadableL1 = false
  #unknownConfig: DropEvent | null = null
  #stoppedAt: number | null = null

  constructor(options: NewerRulesOptions, deps: NewerRulesDependencies) {
    this.#options = options
    this.#deps = deps
  }

  /** Returns the block before which an earlier run stopped, for the caller to insert as an unsafe block. */
  restore(): PayloadEnvelope | null {
    const stored = this.#deps.record.read()
    if (stored?.kind === 'unreadable') this.unreadable(stored.block)
    return stored?.kind === 'readable' ? stored.envelope : null
  }

  /** True in state 3. */
  get stopped(): boolean {
    return this.#stoppedAt !== null
  }

  /** True when the system configuration of L1 has an update that this release does not know. */
  get endsReading(): boolean {
    return this.#unknownConfig !== null
  }

  /** A signed block that the execution client rejects, or whose L1 info deposit cannot be read. */
  refused(envelope: PayloadEnvelope, reason: string): void {
    this.#note(conflictOfRefused(envelope, reason))
  }

  /** A signed message that breaks a rule of gossip. */
  unreadable(block: UnreadableBlock): void {
    const conflict = conflictOfUnreadable(block)
    if (conflict !== null) this.#note(conflict)
  }

  dropped(event: DropEvent): void {
    if (UNREADABLE_L1_DATA.has(event.reason)) this.#hasUnreadableL1 = true
    if (event.stage !== 'l1-traversal' || event.reason !== 'system-config-unknown') return
    this.#unknownConfig = event
    this.#enter(
      'derivation stopped: the chain has moved past this release',
      `L1 block ${event.l1Origin.number} updates the system configuration in a way that this release does not know (${event.details.message})`,
      null,
    )
  }

  /** Called when derivation starts again from `l1Origin`. */
  rewound(l1Origin: L1BlockRef): void {
    this.#hasUnreadableL1 = false
    if (this.#unknownConfig !== null && this.#unknownConfig.l1Origin.number > l1Origin.number) {
      this.#unknownConfig = null
      this.#deps.degraded.leave('newer-rules')
    }
    this.#resume()
  }

  /**
   * `existing` is the block of the unsafe chain at that place, which differs from `derived`. `reproduces` builds the derived block, and
   * reports whether it is the given one: the execution client may have rejected it for a reason of its own.
   */
  async stopsAt(
    derived: DerivedAttributes,
    existing: UnsafeBlock | null,
    reproduces: (block: PayloadEnvelope) => Promise<boolean>,
  ): Promise<boolean> {
    const conflict = this.#conflictAt(derived, existing)
    if (conflict === null || (conflict.envelope !== null && (await reproduces(conflict.envelope)))) {
      this.#resume()
      return false
    }
    if (this.#stoppedAt === conflict.number) return true
    this.#stoppedAt = conflict.number
    await this.#deps.record.write(conflict)
    this.#deps.degraded.leave('forked')
    this.#enter(
      `stopped before block ${conflict.number}: the chain has moved past this release`,
      `the sequencer signed block ${conflict.number} (${conflict.hash}), which ${conflict.saw}, and L1 has its batch`,
      conflict.hash,
    )
    return true
  }

  /** Derivation has confirmed or built the block of this height. */
  async passed(number: number): Promise<void> {
    // The lowest conflict is the first.
    const ended = this.#conflicts.filter((conflict) => conflict.number <= number).length
    if (ended === 0 && !this.stopped) return
    this.#conflicts.splice(0, ended)
    this.#resume()
    await this.#deps.record.remove()
  }

  #note(conflict: SignedConflict): void {
    const known = this.#conflicts.some(({ hash }) => hash === conflict.hash)
    if (known || conflict.hash === this.#options.distrustedBlock) return
    this.#conflicts.push(conflict)
    this.#conflicts.sort((a, b) => a.number - b.number)
    this.#conflicts.splice(MAX_CONFLICTS)
  }

  #conflictAt(derived: DerivedAttributes, existing: UnsafeBlock | null): SignedConflict | null {
    const { parent, attributes } = derived
    const at = this.#conflicts.filter(({ number, parentHash }) => number === parent.number + 1 && parentHash === parent.hash)
    const confirmed = at.find(({ envelope }) => envelope === null || this.#hasUnreadableL1 || holdsBatch(envelope, attributes))
    if (confirmed !== undefined) return confirmed
    if (!this.#options.followsSequencer || existing === null) return null
    const { envelope, difference } = existing
    const { blockHash: hash, blockNumber: number, parentHash } = envelope.payload
    if (hash === this.#options.distrustedBlock || parentHash !== parent.hash || !holdsBatch(envelope, attributes)) return null
    return { number, parentHash, hash, envelope, signed: null, saw: `differs from what this release derives (${difference})` }
  }

  #resume(): void {
    if (this.#stoppedAt === null) return
    this.#stoppedAt = null
    this.#deps.degraded.leave('newer-rules')
  }

  #enter(what: string, saw: string, hash: Hash | null): void {
    const { version, releasedOn } = this.#options.release
    const age = durationText(Math.max(0, this.#deps.clock.nowMs() - Date.parse(releasedOn)) / 1000)
    const { forks } = this.#options.config
    const scheduled = forks.lineage.findLast((fork) => forks.activationTimeSec(fork) !== null)
    const why = `${saw}. The newest fork that this release (${version} of ${releasedOn}, ${age} old) knows is ${forks.lineage.at(-1)}, and the newest of the configuration is ${scheduled}`
    const mistake = hash === null ? '' : `; if they call the block a mistake, start with --rollup.distrust-block ${hash}`
    const remedy = `read the announcements of the chain's operators, and start a newer release, or this one with their newer rollup.json, with the same data${mistake}`
    this.#deps.degraded.enter('newer-rules', what, why, remedy)
  }
}
