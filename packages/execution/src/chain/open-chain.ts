import { bigintToBytes, bytesToBigint, bytesToHex, concatBytes, encodeHeader, type Hash, hashHeader, hexToBytes } from '@keelson/primitives'
import { asCalled, type KeyValueReader, type KeyValueStore } from '@keelson/runtime'
import { computeGenesisState, type StateStore } from '@keelson/state'
import type { ExecutionChain } from '../chain-rules.ts'
import { ExecutionError } from '../errors.ts'
import type { SealedHeader } from './chain-reader.ts'
import { type ChainStore, openChainStore } from './chain-store.ts'
import {
  bodyKey,
  canonicalKey,
  headerKey,
  identityKey,
  importingKey,
  labelsKey,
  logsIndexedFromKey,
  receiptsKey,
  U64_BYTES,
} from './keys.ts'
import { encodeBody, encodeLabels, encodeStoredReceipts } from './records.ts'

/** Increment it when older releases cannot read the records. */
export const LAYOUT_VERSION = 1

export interface Identity {
  readonly version: number
  readonly chainId: bigint
  readonly genesisHash: Hash
}

/**
 * Opens or initializes the chain. Refuses a store of another chain before any write: ExecutionError `execution/wrong-network`,
 * `execution/schema-version` or `execution/genesis-mismatch`.
 */
export async function openChain(
  store: KeyValueStore,
  state: StateStore,
  chain: ExecutionChain,
  options: { readonly cachedBlocks: number },
): Promise<ChainStore> {
  const { header } = chain.genesis
  const genesis: SealedHeader = { hash: hashHeader(header), header }
  refuseHalfImported(store)
  const found = readIdentity(store)
  const expected: Identity = { version: LAYOUT_VERSION, chainId: chain.chainId, genesisHash: genesis.hash }
  if (found === null) await writeGenesis(store, state, chain, expected)
  else checkIdentity(found, expected)
  return openChainStore(store, { genesis, cachedBlocks: options.cachedBlocks })
}

export function readIdentity(store: KeyValueReader): Identity | null {
  const raw = store.getSync(identityKey())
  return raw === null ? null : decodeIdentity(raw)
}

/** Throws ExecutionError `execution/half-imported`. */
export function refuseHalfImported(store: KeyValueReader): void {
  if (store.getSync(importingKey()) === null) return
  throw new ExecutionError(
    'execution/half-imported',
    `the import of a snapshot into this data directory was interrupted: run the same ${asCalled('db')} import again, which resumes it, or start with an empty directory`,
  )
}

export function assertLayout(found: Identity): void {
  if (found.version > LAYOUT_VERSION) {
    throw new ExecutionError(
      'execution/schema-version',
      `the data directory was written by a newer release (records version ${found.version}, this one reads up to ${LAYOUT_VERSION}): run the newer release, or start with an empty directory`,
      { found: found.version, expected: LAYOUT_VERSION },
    )
  }
}

function checkIdentity(found: Identity, expected: Identity): void {
  if (found.chainId !== expected.chainId || found.genesisHash !== expected.genesisHash) {
    throw new ExecutionError(
      'execution/wrong-network',
      `the data directory holds chain ${found.chainId} with genesis ${found.genesisHash}; expected chain ${expected.chainId} with genesis ${expected.genesisHash}: choose another data directory, or move this one away`,
      { foundChainId: found.chainId, foundGenesis: found.genesisHash, chainId: expected.chainId, genesis: expected.genesisHash },
    )
  }
  assertLayout(found)
}

async function writeGenesis(store: KeyValueStore, state: StateStore, chain: ExecutionChain, identity: Identity): Promise<void> {
  const { header, alloc } = chain.genesis
  const hash = identity.genesisHash
  if (state.disk === null) {
    const computed = computeGenesisState(alloc)
    if (computed.stateRoot !== header.stateRoot) {
      throw new ExecutionError(
        'execution/genesis-mismatch',
        `the genesis accounts have state root ${computed.stateRoot}, but the genesis header says ${header.stateRoot}: the network's files do not belong together`,
        { computed: computed.stateRoot, header: header.stateRoot },
      )
    }
    await state.initGenesis(computed, { hash, number: header.number })
  } else if (state.disk.hash !== hash) {
    throw new ExecutionError(
      'execution/wrong-network',
      `the data directory holds the state of block ${state.disk.hash} and no chain: choose another`,
      {
        found: state.disk.hash,
        genesis: hash,
      },
    )
  }
  const withdrawals = header.withdrawalsRoot === null ? null : []
  await store.batch([
    { put: headerKey(hash), value: encodeHeader(header) },
    { put: bodyKey(hash), value: encodeBody({ hash, header, transactions: [], withdrawals }) },
    { put: receiptsKey(hash), value: encodeStoredReceipts([]) },
    { put: canonicalKey(header.number), value: hexToBytes(hash) },
    { put: logsIndexedFromKey(), value: bigintToBytes(BigInt(header.number), U64_BYTES) },
    { put: labelsKey(), value: encodeLabels({ head: hash, safe: hash, finalized: hash }) },
    { put: identityKey(), value: encodeIdentity(identity) },
  ])
}

export function encodeIdentity(identity: Identity): Uint8Array {
  return concatBytes(Uint8Array.of(identity.version), bigintToBytes(identity.chainId, 32), hexToBytes(identity.genesisHash))
}

function decodeIdentity(raw: Uint8Array): Identity {
  return {
    version: raw[0] as number,
    chainId: bytesToBigint(raw.subarray(1, 33)),
    genesisHash: bytesToHex(raw.subarray(33, 65)) as Hash,
  }
}
