/** Sets up the unpatched library for one block. */
import { type Block, createBlock, createBlockHeaderFromRLP } from '@ethereumjs/block'
import { type Common, createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import type { EVMMockBlockchainInterface, ExecResult } from '@ethereumjs/evm'
import { Address, hexToBytes, type KZG, type PrefixedHexString } from '@ethereumjs/util'
import { createVM, type VM } from '@ethereumjs/vm'
import type { BlockRules, EthFork } from '@keelson/chainspec'
import { L1_BLOCK } from './addresses.ts'
import { checkHeader } from './check-header.ts'
import { SecondOpinionError } from './errors.ts'
import { type L1BlockSlots, readL1BlockSlots } from './fees/l1-block-slots.ts'
import { judging } from './library-errors.ts'
import { opPrecompiles } from './precompiles.ts'
import type { Ancestors } from './witness.ts'
import type { WitnessState } from './witness-state.ts'

/** Bedrock began after the merge. */
const HARDFORKS: Readonly<Partial<Record<EthFork, string>>> = {
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
}
const SLOT_BYTES = 32

/** EIP-4844 verifier. Returns false for points that cannot be decoded. */
export interface KzgVerifier {
  verifyProof(commitment: Uint8Array, z: Uint8Array, y: Uint8Array, proof: Uint8Array): boolean
}

export interface ExecutorOptions {
  readonly header: Uint8Array
  readonly rules: BlockRules
  readonly chainId: bigint
  readonly ancestors: Ancestors
  readonly state: WitnessState
  readonly kzg: KzgVerifier
}

export interface Executor {
  readonly vm: VM
  readonly block: Block
  readonly common: Common
  readonly rules: BlockRules
  readonly state: WitnessState
  /** Call after the deposit that sets the slots. */
  l1Slots(): Promise<L1BlockSlots>
  /** Rethrows an error of the KZG verifier, which the library treats as an invalid proof. */
  assertKzg(): void
}

export async function openExecutor({ header, rules, chainId, ancestors, state, kzg }: ExecutorOptions): Promise<Executor> {
  const hardfork = HARDFORKS[rules.ethFork]
  if (rules.chain !== 'op' || hardfork === undefined) {
    throw new SecondOpinionError(
      'second-opinion/misuse',
      `rules of ${rules.chain} at ${rules.ethFork}: expected those of an OP chain, paris to osaka`,
    )
  }
  const failures: unknown[] = []
  const common = createCustomCommon({ chainId: Number(chainId) }, Mainnet, {
    hardfork,
    customCrypto: { kzg: asLibraryKzg(kzg, (error) => failures.push(error)) },
  })
  const block = await judging(() => createBlock({ header: createBlockHeaderFromRLP(header, { common }) }, { common }))
  checkHeader(block.header, rules)
  const blockchain: EVMMockBlockchainInterface = {
    getBlock: async (number) => ({ hash: () => ancestors.hashOf(number) }),
    putBlock: async () => undefined,
    shallowCopy: () => blockchain,
  }
  const vm = await createVM({
    common,
    stateManager: state,
    evmOpts: { common, stateManager: state, blockchain, customPrecompiles: opPrecompiles(rules, common) },
  })
  let slots: Promise<L1BlockSlots> | null = null
  const readSlot = (slot: number) => {
    const key = new Uint8Array(SLOT_BYTES)
    key[SLOT_BYTES - 1] = slot
    return state.getStorage(L1_BLOCK, key)
  }
  return {
    vm,
    block,
    common,
    rules,
    state,
    l1Slots() {
      slots ??= readL1BlockSlots(readSlot, rules)
      return slots
    },
    assertKzg() {
      if (failures.length > 0) throw failures[0]
    },
  }
}

function asLibraryKzg(kzg: KzgVerifier, onFailure: (error: unknown) => void): KZG {
  const verifyProof = (...points: string[]) => {
    const [commitment, z, y, proof] = points.map((point) => hexToBytes(point as PrefixedHexString)) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    try {
      return kzg.verifyProof(commitment, z, y, proof)
    } catch (error) {
      onFailure(error)
      throw error
    }
  }
  return { verifyProof } satisfies Partial<KZG> as unknown as KZG
}

/** Deletes destroyed and emptied accounts and clears warm addresses, which the library does only in `runTx`. */
export async function settleCall({ vm, common, state }: Executor, result: ExecResult | null): Promise<void> {
  for (const hex of result?.selfdestruct?.keys() ?? []) {
    if (common.isActivatedEIP(6780) && result?.createdAddresses?.has(hex) !== true) continue
    await vm.evm.journal.deleteAccount(new Address(hexToBytes(hex as PrefixedHexString)))
  }
  await vm.evm.journal.cleanup()
  state.originalStorageCache.clear()
}
