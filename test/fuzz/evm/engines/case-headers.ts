/** Headers of a case's block and of the blocks before it. */
import { EMPTY_OMMERS_HASH, EMPTY_TRIE_ROOT, type Hash, type Header, hashHeader, toAddress, toHash, ZERO_HASH } from '@keelson/primitives'
import { rulesOf } from '../chains.ts'
import type { EvmCase } from '../evm-case.ts'

const BLOCK_HASHES = 256

/** Without what execution determines. */
export function skeletonOf({ chain, env }: EvmCase, parent: Header): Header {
  const rules = rulesOf(chain)
  return {
    ...emptyHeader(Number(env.number), hashHeader(parent)),
    timestampSec: Number(env.timestamp),
    gasLimit: BigInt(env.gasLimit),
    baseFeeWei: rules.feeSink === 'miner' ? null : BigInt(env.baseFee),
    feeRecipient: toAddress(env.feeRecipient),
    mixHash: toHash(env.prevRandao),
    difficulty: rules.blockRewardWei === 0n ? 0n : BigInt(env.difficulty),
    withdrawalsRoot: rules.withdrawals === 'absent' ? null : EMPTY_TRIE_ROOT,
    parentBeaconBlockRoot: rules.parentBeaconRoot ? ZERO_HASH : null,
    excessBlobGas: rules.blobFields ? 0n : null,
  }
}

/** Those that BLOCKHASH reaches; the last is the parent and has the state. */
export function ancestorsOf({ env }: EvmCase, stateRoot: Hash): readonly Header[] {
  const number = Number(env.number)
  const headers: Header[] = []
  for (let at = Math.max(0, number - BLOCK_HASHES); at < number; at++) {
    const before = headers.at(-1)
    headers.push({ ...emptyHeader(at, before === undefined ? ZERO_HASH : hashHeader(before)), stateRoot })
  }
  return headers
}

function emptyHeader(number: number, parentHash: Hash): Header {
  return {
    parentHash,
    number,
    ommersHash: EMPTY_OMMERS_HASH,
    feeRecipient: toAddress(`0x${'00'.repeat(20)}`),
    stateRoot: EMPTY_TRIE_ROOT,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    logsBloom: new Uint8Array(256),
    difficulty: 0n,
    gasLimit: 0n,
    gasUsed: 0n,
    timestampSec: 0,
    extraData: new Uint8Array(0),
    mixHash: ZERO_HASH,
    nonce: new Uint8Array(8),
    baseFeeWei: null,
    withdrawalsRoot: null,
    blobGasUsed: null,
    excessBlobGas: null,
    parentBeaconBlockRoot: null,
    requestsHash: null,
    blockAccessListHash: null,
    slotNumber: null,
  }
}
