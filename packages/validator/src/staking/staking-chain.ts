/**
 * The Staking contract over an execution client's RPC, as a validator needs it: all that is asked of one block is asked
 * of it by number, so that the answers fit together.
 */
import { type RpcCall, type RpcClient, RpcResponseError } from '@keelson/client'
import {
  decodeActiveSet,
  decodeAnchor,
  decodeDuty,
  decodeStakingAccounts,
  decodeUint,
  decodeValidator,
  encodeGetDuty,
  encodeGetValidator,
  encodeSilentEpochs,
  encodeTotalWeightAt,
  encodeWeightAt,
  findAttested,
  findSlashed,
  findStakingRefusal,
  findWeightChanged,
  type SignedAttestedEvent,
  type SlashedEvent,
  STAKING_ACCOUNTS,
  STAKING_ANCHOR,
  STAKING_NEXT_ACTIVE_SET,
  STAKING_TOPICS,
  STAKING_WORDS,
  type StakingAccounts,
  type ValidatorDuty,
  type ValidatorRecord,
  type WeightChangedEvent,
} from '@keelson/contracts'
import {
  type Address,
  bytesToHex,
  CodecError,
  formatQuantity,
  type Hash,
  hexToBytes,
  parseData,
  parseHash,
  parseJsonArray,
  parseJsonObject,
  parseLogJson,
  parseQuantityNumber,
} from '@keelson/primitives'
import { ValidatorError } from '../errors.ts'

/** What the contract was made with. */
export interface StakingTerms {
  readonly epochBlocks: number
  readonly graceBlocks: number
  readonly dayBlocks: number
  readonly maxDowntimeDays: number
  readonly evidenceBlocks: number
  readonly unbondingBlocks: number
  readonly seats: number
  /** Minimum stake in wei for entering the active set. */
  readonly minimumStakeWei: bigint
  /** Minimum stake in wei for staying in the active set after slashes. */
  readonly retentionStakeWei: bigint
  readonly rewardPerBlockWei: bigint
}

export interface ChainHead {
  readonly number: number
  readonly hash: Hash
  readonly timestampSec: number
}

export interface KeyPosition {
  readonly key: Address
  /** Null for a key that was never registered. */
  readonly record: ValidatorRecord | null
  readonly duty: ValidatorDuty
  /** In the epoch of the block this is as of; 0 when it is not active. */
  readonly weightWei: bigint
  readonly nextWeightWei: bigint
  readonly silentEpochs: number
}

export interface StakingPositions {
  /** Zero until the first registration. */
  readonly anchor: Hash
  /** What the reward pool lacks for the epoch; 0 when it has enough. */
  readonly shortfallWei: bigint
  readonly accounts: StakingAccounts
  readonly totalWeightWei: bigint
  readonly keys: readonly KeyPosition[]
}

export type Seen<E> = E & { readonly blockNumber: number }

export interface StakingEvents {
  readonly attested: readonly Seen<SignedAttestedEvent>[]
  readonly slashed: readonly Seen<SlashedEvent>[]
  readonly weights: readonly Seen<WeightChangedEvent>[]
}

export interface StakingChain {
  readonly contract: Address
  chainId(): Promise<bigint>
  head(): Promise<ChainHead>
  /** Null when this node has no block of that number. */
  blockHash(number: number): Promise<Hash | null>
  /** Number of the newest block that this node itself takes for final; null when none is. */
  finalizedNumber(): Promise<number | null>
  /** Of block 0. */
  genesisTimeSec(): Promise<number>
  /** Throws ValidatorError `consensus/no-staking-contract`. */
  terms(): Promise<StakingTerms>
  /** As of a block, whose epoch `epoch` is. */
  positions(keys: readonly Address[], block: number, epoch: number): Promise<StakingPositions>
  /** Who is active from the next epoch on, if nothing changes, with what each has staked; first come those with most. */
  ranking(block: number): Promise<readonly ValidatorStake[]>
  /** Of these keys, in blocks `from` to `to`, in the chain's order. */
  events(keys: readonly Address[], from: number, to: number): Promise<StakingEvents>
  /** First epoch with an attestation in blocks `from` to `to`; null for none. Stops reading at the first attestation. */
  firstAttestedEpoch(from: number, to: number): Promise<number | null>
}

export interface ValidatorStake {
  readonly key: Address
  readonly id: number
  readonly stakeWei: bigint
}

/** Calls in one batch; nodes limit how many they take. */
const BATCH = 50
/** Blocks whose logs are asked for at once; nodes limit that as well. */
const LOG_BLOCKS = 2_000

/** Everything rejects with ClientError when the node does not answer, or not in a form that can be read. */
export function createStakingChain(rpc: RpcClient, contract: Address): StakingChain {
  let knownTerms: StakingTerms | null = null
  let knownGenesisSec: number | null = null

  const unreadable = (what: string, cause: CodecError) =>
    new ValidatorError(
      'consensus/staking',
      'temporary',
      `${rpc.host} answered ${what} with what cannot be read: ${cause.message}`,
      {},
      { cause },
    )

  async function ask<T>(method: string, params: readonly unknown[], parse: (answer: unknown) => T): Promise<T> {
    const answer = await rpc.call(method, params)
    try {
      return parse(answer)
    } catch (error) {
      throw error instanceof CodecError ? unreadable(method, error) : error
    }
  }

  /** Answers in order; null where the contract refused. */
  async function views(calls: readonly Uint8Array[], block: number | 'latest'): Promise<readonly (Uint8Array | null)[]> {
    const at = block === 'latest' ? block : formatQuantity(block)
    const requests = calls.map((data): RpcCall => ({ method: 'eth_call', params: [{ to: contract, data: bytesToHex(data) }, at] }))
    const answers: (Uint8Array | null)[] = []
    for (let from = 0; from < requests.length; from += BATCH) {
      for (const outcome of await rpc.batch(requests.slice(from, from + BATCH))) {
        if (outcome.ok) answers.push(parseView(outcome.result))
        else if (isRefusal(outcome.error)) answers.push(null)
        else throw outcome.error
      }
    }
    return answers
  }

  const logsBetween = (topics: readonly (readonly string[])[], from: number, to: number) =>
    ask('eth_getLogs', [{ address: contract, topics, fromBlock: formatQuantity(from), toBlock: formatQuantity(to) }], (answer) =>
      parseJsonArray(answer, 'logs', (log, what) => ({
        log: parseLogJson(log, what),
        blockNumber: parseQuantityNumber(parseJsonObject(log, what).blockNumber, `${what}.blockNumber`),
      })),
    )

  function parseView(result: unknown): Uint8Array {
    try {
      return parseData(result, 'eth_call')
    } catch (error) {
      throw error instanceof CodecError ? unreadable('eth_call', error) : error
    }
  }

  const given = (answer: Uint8Array | null | undefined): Uint8Array => {
    if (answer !== null && answer !== undefined && answer.length > 0) return answer
    throw new ValidatorError(
      'consensus/no-staking-contract',
      'temporary',
      `${rpc.host} has no Staking contract at ${contract}; is it a node of this network, and is it in sync? (--staking names another address)`,
      { contract },
    )
  }

  /** Older contracts have no such view: there, every slash below the minimum costs the seat. */
  async function retentionStakeWei(minimumStakeWei: bigint): Promise<bigint> {
    try {
      const [answer] = await views([STAKING_WORDS.retentionStake], 'latest')
      return decodeUint(given(answer))
    } catch (error) {
      if (error instanceof RpcResponseError && error.severity !== 'temporary') return minimumStakeWei
      throw error
    }
  }

  return {
    contract,
    chainId: () => ask('eth_chainId', [], (answer) => BigInt(parseQuantityNumber(answer, 'eth_chainId'))),
    head: () =>
      ask('eth_getBlockByNumber', ['latest', false], (answer) => {
        const block = parseJsonObject(answer, 'latest block')
        return {
          number: parseQuantityNumber(block.number, 'number'),
          hash: parseHash(block.hash, 'hash'),
          timestampSec: parseQuantityNumber(block.timestamp, 'timestamp'),
        }
      }),
    blockHash: (number) =>
      ask('eth_getBlockByNumber', [formatQuantity(number), false], (answer) =>
        answer === null ? null : parseHash(parseJsonObject(answer, 'block').hash, 'hash'),
      ),
    async finalizedNumber() {
      try {
        return await ask('eth_getBlockByNumber', ['finalized', false], (answer) =>
          answer === null ? null : parseQuantityNumber(parseJsonObject(answer, 'finalized block').number, 'number'),
        )
      } catch (error) {
        // what some nodes say while nothing is final
        if (error instanceof RpcResponseError) return null
        throw error
      }
    },
    async genesisTimeSec() {
      knownGenesisSec ??= await ask('eth_getBlockByNumber', ['0x0', false], (answer) =>
        parseQuantityNumber(parseJsonObject(answer, 'block 0').timestamp, 'timestamp'),
      )
      return knownGenesisSec
    },
    async terms() {
      if (knownTerms !== null) return knownTerms
      const w = STAKING_WORDS
      const calls = [w.epochBlocks, w.graceBlocks, w.dayBlocks, w.maxDowntimeDays, w.evidenceBlocks, w.unbondingBlocks, w.seats]
      const answers = await views([...calls, w.minimumStake, w.rewardPerBlock], 'latest')
      const words = answers.map((answer) => decodeUint(given(answer)))
      const at = (index: number) => words[index] as bigint
      knownTerms = {
        epochBlocks: Number(at(0)),
        graceBlocks: Number(at(1)),
        dayBlocks: Number(at(2)),
        maxDowntimeDays: Number(at(3)),
        evidenceBlocks: Number(at(4)),
        unbondingBlocks: Number(at(5)),
        seats: Number(at(6)),
        minimumStakeWei: at(7),
        retentionStakeWei: await retentionStakeWei(at(7)),
        rewardPerBlockWei: at(8),
      }
      return knownTerms
    },
    async positions(keys, block, epoch) {
      const [anchor, shortfall, accounts, total, ...rest] = await views(
        [
          STAKING_ANCHOR,
          STAKING_WORDS.shortfall,
          STAKING_ACCOUNTS,
          encodeTotalWeightAt(epoch),
          ...keys.flatMap((key) => [
            encodeGetValidator(key),
            encodeGetDuty(key),
            encodeWeightAt(key, epoch),
            encodeWeightAt(key, epoch + 1),
            encodeSilentEpochs(key),
          ]),
        ],
        block,
      )
      return {
        anchor: decodeAnchor(given(anchor)),
        shortfallWei: decodeUint(given(shortfall)),
        accounts: decodeStakingAccounts(given(accounts)),
        totalWeightWei: decodeUint(given(total)),
        keys: keys.map((key, index) => {
          const [record, duty, weight, nextWeight, silent] = rest.slice(index * 5, index * 5 + 5)
          return {
            key,
            record: record === null || record === undefined ? null : decodeValidator(record),
            duty: decodeDuty(given(duty)),
            weightWei: decodeUint(given(weight)),
            nextWeightWei: decodeUint(given(nextWeight)),
            silentEpochs: Number(decodeUint(given(silent))),
          }
        }),
      }
    },
    async ranking(block) {
      const [set] = await views([STAKING_NEXT_ACTIVE_SET], block)
      const keys = decodeActiveSet(given(set))
      const records = await views(keys.map(encodeGetValidator), block)
      const stakes = keys.map((key, index) => {
        const { id, stakeWei } = decodeValidator(given(records[index]))
        return { key, id, stakeWei }
      })
      return stakes.sort((a, b) => (a.stakeWei === b.stakeWei ? a.id - b.id : a.stakeWei > b.stakeWei ? -1 : 1))
    },
    async events(keys, from, to) {
      const attested: Seen<SignedAttestedEvent>[] = []
      const slashed: Seen<SlashedEvent>[] = []
      const weights: Seen<WeightChangedEvent>[] = []
      const topics = [[STAKING_TOPICS.attested, STAKING_TOPICS.slashed, STAKING_TOPICS.weightChanged], keys.map(addressTopic)]
      for (let start = from; keys.length > 0 && start <= to; start += LOG_BLOCKS) {
        for (const { log, blockNumber } of await logsBetween(topics, start, Math.min(to, start + LOG_BLOCKS - 1))) {
          const attestation = findAttested(contract, log)
          if (attestation !== null) attested.push({ ...attestation, blockNumber })
          const slash = findSlashed(contract, log)
          if (slash !== null) slashed.push({ ...slash, blockNumber })
          const weight = findWeightChanged(contract, log)
          if (weight !== null) weights.push({ ...weight, blockNumber })
        }
      }
      return { attested, slashed, weights }
    },
    async firstAttestedEpoch(from, to) {
      for (let start = from; start <= to; start += LOG_BLOCKS) {
        const [first] = await logsBetween([[STAKING_TOPICS.attested]], start, Math.min(to, start + LOG_BLOCKS - 1))
        const attestation = first === undefined ? null : findAttested(contract, first.log)
        if (attestation !== null) return attestation.epoch
      }
      return null
    },
  }
}

function addressTopic(key: Address): string {
  return `0x${key.slice(2).padStart(64, '0')}`
}

/** A view of this contract refuses with one of its own errors; anything else is the node's trouble. */
function isRefusal(error: Error): boolean {
  if (!(error instanceof RpcResponseError) || typeof error.data !== 'string') return false
  return findStakingRefusal(hexToBytes(error.data)) !== null
}
