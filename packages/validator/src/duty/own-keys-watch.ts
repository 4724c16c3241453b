/**
 * An attestation that was not made here means that another machine signs with the same key; that or a slashing ends the process.
 */
import type { Attestation } from '@keelson/contracts'
import type { Address } from '@keelson/primitives'
import { messageOf } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'
import { ValidatorError } from '../errors.ts'
import type { KeyPosition, StakingChain, StakingEvents, StakingTerms } from '../staking/staking-chain.ts'
import type { DutyLoopDependencies } from './duty-ports.ts'

export interface OwnKeysWatch {
  /**
   * Returns the keys' events in new blocks, and in reread ones that a reorg may have replaced. Throws ValidatorError
   * `consensus/doppelganger` or `consensus/slashed`.
   */
  look(head: number, positions: readonly KeyPosition[], terms: StakingTerms): Promise<StakingEvents>
}

export interface OwnKeysWatchOptions {
  readonly keys: readonly Address[]
  readonly startHead: number
  /** The chain's epoch at the start; this node's head may be in an earlier one. */
  readonly startEpoch: number
  readonly slashingsKnownUntil: number
}

type Dependencies = Pick<DutyLoopDependencies, 'gossip' | 'protection' | 'log'> & { readonly chain: Pick<StakingChain, 'events'> }

const BETRAYALS: ReadonlySet<string> = new Set(['double-attestation', 'double-block', 'invalid-attestation'])
/** Number of blocks to reread, which a reorg may have replaced. */
const LOOKED_AT_AGAIN = 64

export function createOwnKeysWatch(options: OwnKeysWatchOptions, { chain, gossip, protection, log }: Dependencies): OwnKeysWatch {
  const { keys, startHead, startEpoch, slashingsKnownUntil } = options
  const own = new Set<string>(keys)
  const openOffences = new Map<Address, number>()
  const warned = new Set<Address>()
  let lookedTo: number | null = null
  let gossipSilent = false

  /** Includes attestations of earlier runs, which may still be mined. */
  async function isOurs(key: Address, epoch: number, matches: (recorded: Attestation) => boolean): Promise<boolean> {
    const recorded = await protection.recordedAttestation(key, epoch)
    return recorded !== null && matches(recorded.attestation)
  }

  async function slashed(key: Address, what: string): Promise<never> {
    const reason = `validator ${key} was slashed: ${what}`
    await protection.stop(reason, key)
    throw slashedError(reason, key)
  }

  /**
   * The previous machine's attestation of the start epoch may be mined after the start. A machine that still runs is detected in
   * the next epoch, during which this one listens.
   */
  function warnOfEarlier(key: Address, epoch: number, blockNumber: number): void {
    if (warned.has(key)) return
    warned.add(key)
    log.warn(
      'an attestation of the epoch of the start was not made here: if this process takes over from another, make sure that it has stopped',
      { key, epoch, block: blockNumber },
    )
  }

  async function lookAtGossip(epoch: number): Promise<void> {
    const seen = await gossip.attestations(epoch).catch((error: unknown) => {
      if (!gossipSilent) {
        const reason = messageOf(error)
        log.warn('the consensus client does not list the attestations it saw; watching the chain only', { reason })
      }
      gossipSilent = true
      return null
    })
    if (seen === null) return
    if (gossipSilent) log.info('the consensus client lists the attestations it saw again')
    gossipSilent = false
    for (const { validator, attestation } of seen) {
      if (!own.has(validator)) continue
      const ours = await isOurs(validator, attestation.epoch, (recorded) => sameAttestation(recorded, attestation))
      if (!ours) throw doppelganger(validator, attestation.epoch, 'gossip')
    }
  }

  return {
    async look(head, positions, terms) {
      const registered = positions.filter(({ record }) => record !== null)
      for (const { key, record } of registered) if (record?.slashed === true) await slashed(key, 'all its stake, for good')
      const from = lookedTo === null ? startHead - terms.evidenceBlocks - 2 * terms.epochBlocks : Math.min(lookedTo, head) - LOOKED_AT_AGAIN
      const events = await chain.events(
        registered.map(({ key }) => key),
        Math.max(0, from),
        head,
      )
      for (const { validator, offence, amountWei, epoch, blockNumber } of events.slashed) {
        if (!BETRAYALS.has(offence) || blockNumber <= slashingsKnownUntil) continue
        await slashed(validator, `${offence} in epoch ${epoch}, ${amountWei} wei, seen in block ${blockNumber}`)
      }
      // A node may withhold logs, so the contract's records are checked too.
      for (const { key, record } of registered) {
        const open = record?.openOffences ?? 0
        const known = openOffences.get(key) ?? (slashingsKnownUntil > 0 ? open : 0)
        openOffences.set(key, open)
        if (open > known) await slashed(key, 'a wrong attestation of it was reported')
      }
      for (const { validator, epoch, blockNumber, signed } of events.attested) {
        if (blockNumber <= startHead) continue
        // Compares all fields: a second machine may attest to the same block with a different L1 origin.
        const ours = await isOurs(validator, epoch, (recorded) => sameAttestation(recorded, signed.attestation))
        if (ours) continue
        if (epoch > startEpoch) throw doppelganger(validator, epoch, `block ${blockNumber}`)
        warnOfEarlier(validator, epoch, blockNumber)
      }
      const epoch = Math.floor(head / terms.epochBlocks)
      if (registered.length > 0 && epoch > startEpoch) await lookAtGossip(epoch)
      lookedTo = head
      return events
    },
  }
}

function sameAttestation(a: Attestation, b: Attestation): boolean {
  return (
    a.checkpointHash === b.checkpointHash &&
    a.checkpointNumber === b.checkpointNumber &&
    a.l1OriginHash === b.l1OriginHash &&
    a.l1OriginNumber === b.l1OriginNumber
  )
}

function doppelganger(key: Address, epoch: number, where: string): ValidatorError {
  return new ValidatorError(
    'consensus/doppelganger',
    'critical',
    `another machine signs with key ${key}: its attestation for epoch ${epoch} is in ${where}, and was not made here. Do not restart: ` +
      'two machines with one key are slashed. Find the other one and stop it, take its slashing protection over ' +
      `(${asCalled('validator protection export')} there, import here), then start this one again`,
    { key, epoch },
  )
}

export function slashedError(reason: string, key: Address | null): ValidatorError {
  return new ValidatorError(
    'consensus/slashed',
    'critical',
    `no key of this process signs: ${reason}. Find the cause before anything else: a second machine with the key, a restored old ` +
      `backup, a node on another chain. Then ${asCalled('validator protection clear-stop')} lets the others sign again; ` +
      'remove keys that are slashed for good, and acknowledge handled slashings with --slashings-known-until BLOCK',
    key === null ? {} : { key },
  )
}
