import { decodeUint } from '@keelson/contracts/abi'
import {
  decodeActiveSet,
  decodeDuty,
  decodeEpoch,
  decodeStakingAccounts,
  decodeValidator,
  type EpochRecord,
  encodeGetDuty,
  encodeGetEpoch,
  encodeGetValidator,
  encodeLiveEpochsBefore,
  encodeTotalWeightAt,
  encodeValidatorOf,
  encodeWeightAt,
  STAKING_ACCOUNTS,
  STAKING_NEXT_ACTIVE_SET,
  STAKING_WORDS,
  type StakingAccounts,
  type ValidatorRecord,
} from '@keelson/contracts/staking'
import { type Address, bytesToHex, hexToBytes, toAddress } from '@keelson/primitives'
import { toQuantity } from '../../format/hex.ts'
import { rpc, rpcAll } from '../rpc.ts'
import { idsWithoutSeat } from './ids-without-seat.ts'
import type { StakingEvents, StakingHistory } from './staking-history.ts'

export interface StakingTerms {
  readonly epochBlocks: number
  readonly graceBlocks: number
  readonly dayBlocks: number
  readonly maxDowntimeDays: number
  readonly unbondingBlocks: number
  readonly seats: number
  readonly minimumStakeWei: bigint
  readonly rewardPerBlockWei: bigint
}

export interface ValidatorPosition {
  readonly key: Address
  readonly record: ValidatorRecord
  /** Epoch of the last attestation that counted. */
  readonly lastEpoch: number
  readonly weightWei: bigint
  readonly nextWeightWei: bigint
  /** Weight in `fromEpoch`. */
  readonly firstWeightWei: bigint
}

/** The contract as of one block. */
export interface StakingView {
  readonly head: number
  readonly epoch: number
  /** First epoch of the last day that counts: a young chain has no final block to attest to. */
  readonly fromEpoch: number
  readonly terms: StakingTerms
  readonly registered: number
  /** Page of the set, counted from 0. */
  readonly page: number
  readonly pages: number
  readonly accounts: StakingAccounts
  readonly releasedWei: bigint
  readonly shortfallWei: bigint
  readonly lastEpoch: EpochRecord & { readonly totalWeightWei: bigint }
  readonly events: StakingEvents
  /** First block of `events`. */
  readonly eventsFrom: number
  /** The validators of the page: those with a seat first, then the others in the order of their registration. */
  readonly validators: readonly ValidatorPosition[]
}

/** Validators of a page; each takes five calls. */
export const PAGE_VALIDATORS = 50
const DAY_SEC = 86_400

/** A `page` behind the last one shows the last one. */
export async function readStaking(contract: Address, history: StakingHistory, blockTimeSec: number, page: number): Promise<StakingView> {
  const head = Number(await rpc<string>('eth_blockNumber', []))
  const call = (calls: readonly Uint8Array[]) => callViews(contract, calls, head)
  const w = STAKING_WORDS
  const words = await call([
    ...[w.epochBlocks, w.graceBlocks, w.dayBlocks, w.maxDowntimeDays, w.unbondingBlocks, w.seats],
    ...[w.minimumStake, w.rewardPerBlock, w.validatorCount, w.rewardsReleased, w.shortfall],
  ])
  const word = (index: number) => decodeUint(words[index] as Uint8Array)
  const terms: StakingTerms = {
    epochBlocks: Number(word(0)),
    graceBlocks: Number(word(1)),
    dayBlocks: Number(word(2)),
    maxDowntimeDays: Number(word(3)),
    unbondingBlocks: Number(word(4)),
    seats: Number(word(5)),
    minimumStakeWei: word(6),
    rewardPerBlockWei: word(7),
  }
  const registered = Number(word(8))
  const epoch = Math.floor(head / terms.epochBlocks)
  const dayStart = Math.max(0, epoch - Math.max(1, Math.floor(DAY_SEC / blockTimeSec / terms.epochBlocks)))
  const before = Math.max(0, epoch - 1)
  const [accounts, closed, closedWeight, liveBefore, set] = (await call([
    ...[STAKING_ACCOUNTS, encodeGetEpoch(before), encodeTotalWeightAt(before), encodeLiveEpochsBefore(dayStart), STAKING_NEXT_ACTIVE_SET],
  ])) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
  const eventsFrom = Math.max(0, dayStart - 1) * terms.epochBlocks
  const events = await history.read(eventsFrom, head)
  const firstAttested = decodeUint(liveBefore) > 0n ? dayStart : (events.attested[0]?.epoch ?? epoch)
  const fromEpoch = Math.max(dayStart, firstAttested)
  const pages = Math.max(1, Math.ceil(registered / PAGE_VALIDATORS))
  const shown = Math.min(page, pages - 1)
  const keys = await keysOfPage(call, decodeActiveSet(set), registered, shown)
  return {
    head,
    epoch,
    fromEpoch,
    terms,
    registered,
    page: shown,
    pages,
    accounts: decodeStakingAccounts(accounts),
    releasedWei: word(9),
    shortfallWei: word(10),
    lastEpoch: { ...decodeEpoch(closed), totalWeightWei: decodeUint(closedWeight) },
    events,
    eventsFrom,
    validators: await readValidators(call, keys, epoch, fromEpoch),
  }
}

type Call = (calls: readonly Uint8Array[]) => Promise<readonly Uint8Array[]>

async function keysOfPage(call: Call, seated: readonly Address[], registered: number, page: number): Promise<readonly Address[]> {
  const from = page * PAGE_VALIDATORS
  const keys = seated.slice(from, from + PAGE_VALIDATORS)
  const missing = PAGE_VALIDATORS - keys.length
  if (missing === 0) return keys
  const seatedIds = (await call(seated.map(encodeGetValidator))).map((answer) => decodeValidator(answer).id)
  const others = idsWithoutSeat(seatedIds, registered, Math.max(0, from - seated.length), missing)
  return [...keys, ...(await call(others.map(encodeValidatorOf))).map((answer) => toAddress(bytesToHex(answer.subarray(12))))]
}

async function readValidators(
  call: Call,
  keys: readonly Address[],
  epoch: number,
  fromEpoch: number,
): Promise<readonly ValidatorPosition[]> {
  const answers = await call(
    keys.flatMap((key) => [
      encodeGetValidator(key),
      encodeGetDuty(key),
      encodeWeightAt(key, epoch),
      encodeWeightAt(key, epoch + 1),
      encodeWeightAt(key, fromEpoch),
    ]),
  )
  return keys.map((key, i) => {
    const [record, duty, weight, next, first] = answers.slice(5 * i, 5 * i + 5) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    return {
      key,
      record: decodeValidator(record),
      lastEpoch: decodeDuty(duty).lastEpoch,
      weightWei: decodeUint(weight),
      nextWeightWei: decodeUint(next),
      firstWeightWei: decodeUint(first),
    }
  })
}

async function callViews(to: Address, calls: readonly Uint8Array[], block: number): Promise<readonly Uint8Array[]> {
  const answers = await rpcAll(calls.map((data) => ({ method: 'eth_call', params: [{ to, data: bytesToHex(data) }, toQuantity(block)] })))
  return answers.map((answer) => {
    if (typeof answer !== 'string' || answer === '0x') throw new Error('the node does not answer for the Staking contract')
    return hexToBytes(answer)
  })
}
