import { type RpcClient, RpcResponseError } from '@keelson/client'
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
  findWeightChanged,
  type SignedAttestedEvent,
  type SlashedEvent,
  STAKING_ACCOUNTS,
  STAKING_ANCHOR,
  STAKING_NEXT_ACTIVE_SET,
  STAKING_TOPICS,
  STAKING_WORDS,
  type WeightChangedEvent,
} from '@keelson/contracts'
import { type Address, formatQuantity, type Hash, parseHash, parseJsonObject, parseQuantityNumber } from '@keelson/primitives'
import type {
  ChainHead,
  KeyPosition,
  Seen,
  StakingChain,
  StakingEvents,
  StakingPositions,
  StakingTerms,
  ValidatorStake,
} from './staking-chain.ts'
import { StakingReader } from './staking-reader.ts'

/** Blocks per log request; nodes limit their number. */
const LOG_BLOCKS = 2_000

/** Rejects with ClientError, or ValidatorError `consensus/staking` for a malformed answer. */
export function createStakingChain(rpc: RpcClient, contract: Address): StakingChain {
  const reader = new StakingReader(rpc, contract)
  let terms: StakingTerms | null = null
  let genesisSec: number | null = null
  return {
    contract,
    chainId: () => reader.ask('eth_chainId', [], (answer) => BigInt(parseQuantityNumber(answer, 'eth_chainId'))),
    head: () => readHead(reader),
    blockHash: (number) => readBlockHash(reader, number),
    finalizedNumber: () => readFinalizedNumber(reader),
    async genesisTimeSec() {
      genesisSec ??= await reader.ask('eth_getBlockByNumber', ['0x0', false], (answer) =>
        parseQuantityNumber(parseJsonObject(answer, 'block 0').timestamp, 'timestamp'),
      )
      return genesisSec
    },
    async terms() {
      terms ??= await readTerms(reader)
      return terms
    },
    positions: (keys, block, epoch) => readPositions(reader, keys, block, epoch),
    ranking: (block) => readRanking(reader, block),
    events: (keys, from, to) => readEvents(reader, keys, from, to),
    firstAttestedEpoch: (from, to) => readFirstAttestedEpoch(reader, from, to),
  }
}

function readHead(reader: StakingReader): Promise<ChainHead> {
  return reader.ask('eth_getBlockByNumber', ['latest', false], (answer) => {
    const block = parseJsonObject(answer, 'latest block')
    return {
      number: parseQuantityNumber(block.number, 'number'),
      hash: parseHash(block.hash, 'hash'),
      timestampSec: parseQuantityNumber(block.timestamp, 'timestamp'),
    }
  })
}

function readBlockHash(reader: StakingReader, number: number): Promise<Hash | null> {
  return reader.ask('eth_getBlockByNumber', [formatQuantity(number), false], (answer) =>
    answer === null ? null : parseHash(parseJsonObject(answer, 'block').hash, 'hash'),
  )
}

async function readFinalizedNumber(reader: StakingReader): Promise<number | null> {
  try {
    return await reader.ask('eth_getBlockByNumber', ['finalized', false], (answer) =>
      answer === null ? null : parseQuantityNumber(parseJsonObject(answer, 'finalized block').number, 'number'),
    )
  } catch (error) {
    // Some nodes answer with an error while nothing is final.
    if (error instanceof RpcResponseError) return null
    throw error
  }
}

async function readTerms(reader: StakingReader): Promise<StakingTerms> {
  const w = STAKING_WORDS
  const calls = [w.epochBlocks, w.graceBlocks, w.dayBlocks, w.maxDowntimeDays, w.evidenceBlocks, w.unbondingBlocks, w.seats]
  const answers = await reader.views([...calls, w.minimumStake, w.rewardPerBlock], 'latest')
  const words = answers.map((answer) => decodeUint(reader.required(answer)))
  const at = (index: number) => words[index] as bigint
  return {
    epochBlocks: Number(at(0)),
    graceBlocks: Number(at(1)),
    dayBlocks: Number(at(2)),
    maxDowntimeDays: Number(at(3)),
    evidenceBlocks: Number(at(4)),
    unbondingBlocks: Number(at(5)),
    seats: Number(at(6)),
    minimumStakeWei: at(7),
    retentionStakeWei: await readRetentionStakeWei(reader, at(7)),
    rewardPerBlockWei: at(8),
  }
}

/** Older contracts lack this view: there, a validator loses its seat when a slash leaves it below the minimum. */
async function readRetentionStakeWei(reader: StakingReader, minimumStakeWei: bigint): Promise<bigint> {
  try {
    const [answer] = await reader.views([STAKING_WORDS.retentionStake], 'latest')
    return decodeUint(reader.required(answer))
  } catch (error) {
    if (error instanceof RpcResponseError && error.severity !== 'temporary') return minimumStakeWei
    throw error
  }
}

async function readPositions(reader: StakingReader, keys: readonly Address[], block: number, epoch: number): Promise<StakingPositions> {
  const ofKeys = keys.flatMap((key) => [
    encodeGetValidator(key),
    encodeGetDuty(key),
    encodeWeightAt(key, epoch),
    encodeWeightAt(key, epoch + 1),
    encodeSilentEpochs(key),
  ])
  const ofContract = [STAKING_ANCHOR, STAKING_WORDS.shortfall, STAKING_ACCOUNTS, encodeTotalWeightAt(epoch)]
  const [anchor, shortfall, accounts, total, ...rest] = await reader.views([...ofContract, ...ofKeys], block)
  return {
    anchor: decodeAnchor(reader.required(anchor)),
    shortfallWei: decodeUint(reader.required(shortfall)),
    accounts: decodeStakingAccounts(reader.required(accounts)),
    totalWeightWei: decodeUint(reader.required(total)),
    keys: keys.map((key, index): KeyPosition => {
      const [record, duty, weight, nextWeight, silent] = rest.slice(index * 5, index * 5 + 5)
      return {
        key,
        record: record === null || record === undefined ? null : decodeValidator(record),
        duty: decodeDuty(reader.required(duty)),
        weightWei: decodeUint(reader.required(weight)),
        nextWeightWei: decodeUint(reader.required(nextWeight)),
        silentEpochs: Number(decodeUint(reader.required(silent))),
      }
    }),
  }
}

async function readRanking(reader: StakingReader, block: number): Promise<readonly ValidatorStake[]> {
  const [set] = await reader.views([STAKING_NEXT_ACTIVE_SET], block)
  const keys = decodeActiveSet(reader.required(set))
  const records = await reader.views(keys.map(encodeGetValidator), block)
  const stakes = keys.map((key, index) => {
    const { id, stakeWei } = decodeValidator(reader.required(records[index]))
    return { key, id, stakeWei }
  })
  return stakes.sort((a, b) => (a.stakeWei === b.stakeWei ? a.id - b.id : a.stakeWei > b.stakeWei ? -1 : 1))
}

async function readEvents(reader: StakingReader, keys: readonly Address[], from: number, to: number): Promise<StakingEvents> {
  const attested: Seen<SignedAttestedEvent>[] = []
  const slashed: Seen<SlashedEvent>[] = []
  const weights: Seen<WeightChangedEvent>[] = []
  const topics = [[STAKING_TOPICS.attested, STAKING_TOPICS.slashed, STAKING_TOPICS.weightChanged], keys.map(addressTopic)]
  for (let start = from; keys.length > 0 && start <= to; start += LOG_BLOCKS) {
    for (const { log, blockNumber } of await reader.logs(topics, start, Math.min(to, start + LOG_BLOCKS - 1))) {
      const attestation = findAttested(reader.contract, log)
      if (attestation !== null) attested.push({ ...attestation, blockNumber })
      const slash = findSlashed(reader.contract, log)
      if (slash !== null) slashed.push({ ...slash, blockNumber })
      const weight = findWeightChanged(reader.contract, log)
      if (weight !== null) weights.push({ ...weight, blockNumber })
    }
  }
  return { attested, slashed, weights }
}

async function readFirstAttestedEpoch(reader: StakingReader, from: number, to: number): Promise<number | null> {
  for (let start = from; start <= to; start += LOG_BLOCKS) {
    const [first] = await reader.logs([[STAKING_TOPICS.attested]], start, Math.min(to, start + LOG_BLOCKS - 1))
    const attestation = first === undefined ? null : findAttested(reader.contract, first.log)
    if (attestation !== null) return attestation.epoch
  }
  return null
}

function addressTopic(key: Address): string {
  return `0x${key.slice(2).padStart(64, '0')}`
}
