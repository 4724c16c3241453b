/** Sets up the unpatched library for one block of an OP chain. */
import { type Block, createBlock, createBlockHeaderFromRLP } from '@ethereumjs/block'
import type { Common } from '@ethereumjs/common'
import type { ExecResult } from '@ethereumjs/evm'
import { Address, hexToBytes, type PrefixedHexString } from '@ethereumjs/util'
import type { VM } from '@ethereumjs/vm'
import type { BlockRules } from '@keelson/chainspec'
import { L1_BLOCK } from './addresses.ts'
import { checkHeader } from './check-header.ts'
import { type L1BlockSlots, readL1BlockSlots } from './fees/l1-block-slots.ts'
import { judging } from './library-errors.ts'
import { createLibraryCommon, createLibraryVm, type LibraryVmOptions } from './library-vm.ts'
import type { WitnessState } from './witness-state.ts'

const SLOT_BYTES = 32

export interface ExecutorOptions extends LibraryVmOptions {
  /** RLP. */
  readonly header: Uint8Array
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

export async function openExecutor(options: ExecutorOptions): Promise<Executor> {
  const { header, rules, state } = options
  const { common, assertKzg } = createLibraryCommon(options)
  const block = await judging(() => createBlock({ header: createBlockHeaderFromRLP(header, { common }) }, { common }))
  checkHeader(block.header, rules)
  const vm = await createLibraryVm(common, options)
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
    assertKzg,
  }
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
