/** The library's own `runBlock` knows all rules of L1: rewards, withdrawals, requests and blobs. */
import { type Block, createBlockFromRLP } from '@ethereumjs/block'
import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { bytesToHex } from '@ethereumjs/util'
import { runBlock, type VM } from '@ethereumjs/vm'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { SYSTEM_CALLER } from './addresses.ts'
import type { Difference } from './compare-with-header.ts'
import { judging } from './library-errors.ts'
import { createLibraryCommon, createLibraryVm, type LibraryVmOptions } from './library-vm.ts'

const EIP_REQUESTS = 7685

export async function runL1Block(raw: Uint8Array, options: LibraryVmOptions): Promise<Difference[]> {
  const { common, assertKzg } = createLibraryCommon(options)
  const block = await judging(() => createBlockFromRLP(raw, { common, skipConsensusFormatValidation: true }))
  const vm = await createLibraryVm(common, options)
  ignoreSystemCaller(vm, block, options)
  const result = await judging(() => runBlock(vm, { block, generate: true, skipBlockValidation: true }))
  assertKzg()
  const { header } = block
  const differences: Difference[] = []
  const compare = (field: string, stated: string, computed: string) => {
    if (stated !== computed) differences.push({ field, header: stated, computed })
  }
  const compareRoot = (field: string, valid: boolean) => compare(field, 'valid', valid ? 'valid' : 'invalid')
  compareRoot('transactionsRoot', await block.transactionsTrieIsValid())
  compare('ommersHash', bytesToHex(header.uncleHash), ommersHash(raw))
  if (common.isActivatedEIP(4895)) compareRoot('withdrawalsRoot', await block.withdrawalsTrieIsValid())
  compare('gasUsed', String(header.gasUsed), String(result.gasUsed))
  compare('receiptsRoot', bytesToHex(header.receiptTrie), bytesToHex(result.receiptsRoot))
  compare('logsBloom', bytesToHex(header.logsBloom), bytesToHex(result.logsBloom))
  compare('stateRoot', bytesToHex(header.stateRoot), bytesToHex(result.stateRoot))
  if (header.requestsHash !== undefined && result.requestsHash !== undefined) {
    compare('requestsHash', bytesToHex(header.requestsHash), bytesToHex(result.requestsHash))
  }
  return differences
}

/** From the bytes, because the library encodes an ommer from before a fork with the fields of the block's fork. */
function ommersHash(raw: Uint8Array): string {
  const [, , ommers] = RLP.decode(raw) as unknown as NestedUint8Array
  return bytesToHex(keccak_256(RLP.encode(ommers)))
}

/**
 * To collect requests, the library reads and writes the caller of system calls, which a witness need not hold. A withdrawal to it
 * needs it.
 */
function ignoreSystemCaller({ common, events }: VM, { withdrawals }: Block, { state }: LibraryVmOptions): void {
  if (!common.isActivatedEIP(EIP_REQUESTS)) return
  if (withdrawals?.some(({ address, amount }) => amount > 0n && address.equals(SYSTEM_CALLER)) === true) return
  state.ignore(SYSTEM_CALLER)
  events.on('beforeTx', (_tx, resume) => {
    state.ignore(null)
    resume?.()
  })
  events.on('afterTx', (_result, resume) => {
    state.ignore(SYSTEM_CALLER)
    resume?.()
  })
}
