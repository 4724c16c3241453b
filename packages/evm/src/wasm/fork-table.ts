import { type BlockRules, type EthFork, ethParameters, evmParameters, opcodesOf, precompilePrices } from '@keelson/chainspec'
import { EvmError } from '../errors.ts'
import {
  CONTEXT,
  MAX_STACK_ITEMS,
  OPCODE_GAS,
  OPCODE_NEEDS,
  OPCODE_SPAN,
  OPCODE_TABLE,
  PARAM_ACCESS_LISTS,
  PARAM_CLEARS_EMPTY,
  PARAM_COLD_ACCOUNT,
  PARAM_COLD_ACCOUNT_EXTRA,
  PARAM_COLD_SLOT,
  PARAM_COLD_SLOT_EXTRA,
  PARAM_CONTRACT_NONCE,
  PARAM_CREATION_MUST_PAY,
  PARAM_DELEGATIONS,
  PARAM_DESTROYS_ONLY_NEW,
  PARAM_EXP_BYTE,
  PARAM_IDENTITY_BASE,
  PARAM_IDENTITY_WORD,
  PARAM_INIT_CODE_WORD,
  PARAM_KEEPS_64TH,
  PARAM_MAX_CODE_BYTES,
  PARAM_MAX_INIT_CODE_BYTES,
  PARAM_NET_STORAGE,
  PARAM_REJECTS_EF,
  PARAM_SELF_DESTRUCT_NEW_ACCOUNT,
  PARAM_SELF_DESTRUCT_REFUND,
  PARAM_SHA256_BASE,
  PARAM_SHA256_WORD,
  PARAM_STORAGE_CLEAR_REFUND,
  PARAM_STORAGE_NOOP,
  PARAM_STORAGE_RESET,
  PARAM_STORAGE_SENTRY,
  PARAM_STORAGE_SET,
  PARAM_WARM_ACCESS,
  UNDEFINED_OPCODE,
} from './layout.ts'
import type { CoreMemory } from './memory.ts'

const OPCODES = 256
const OPCODE_BYTES = 8
const ITEM_BYTES = 32

/** Equal for equal tables. */
export function forkTableKey({ ethFork, clearsEmptyAccounts }: BlockRules, unlimitedCodeSize: boolean): string {
  return `${ethFork} ${clearsEmptyAccounts} ${unlimitedCodeSize}`
}

export function writeForkTable(memory: CoreMemory, rules: BlockRules, unlimitedCodeSize: boolean): void {
  const { view } = memory
  const opcodes = opcodesOf(rules.ethFork)
  for (let code = 0; code < OPCODES; code++) {
    const at = OPCODE_TABLE + OPCODE_BYTES * code
    const opcode = opcodes.get(code)
    const spareItems = opcode === undefined ? 0 : MAX_STACK_ITEMS - Math.max(0, opcode.given - opcode.taken) - opcode.taken
    view.setUint32(at + OPCODE_GAS, opcode?.gas ?? 0, true)
    view.setUint16(at + OPCODE_NEEDS, opcode === undefined ? UNDEFINED_OPCODE : ITEM_BYTES * opcode.taken, true)
    view.setUint16(at + OPCODE_SPAN, ITEM_BYTES * spareItems, true)
  }
  for (const [parameter, value] of parametersOf(rules, unlimitedCodeSize)) memory.setU32(CONTEXT + parameter, Number(value))
}

function parametersOf(rules: BlockRules, unlimitedCodeSize: boolean): readonly (readonly [number, number | boolean | bigint])[] {
  const evm = evmParameters(rules.ethFork)
  const eth = ethParameters(rules.ethFork)
  const { coldAccess, storage } = evm
  const { sha256, identity } = precompilePrices(rules.ethFork)
  const cold = coldAccess ?? { account: 0, slot: 0, warm: 0 }
  return [
    [PARAM_ACCESS_LISTS, coldAccess !== null],
    [PARAM_COLD_ACCOUNT_EXTRA, cold.account - cold.warm],
    [PARAM_COLD_SLOT_EXTRA, cold.slot - cold.warm],
    [PARAM_COLD_ACCOUNT, cold.account],
    [PARAM_COLD_SLOT, cold.slot],
    [PARAM_WARM_ACCESS, cold.warm],
    [PARAM_EXP_BYTE, evm.expByteGas],
    [PARAM_CLEARS_EMPTY, rules.clearsEmptyAccounts],
    [PARAM_KEEPS_64TH, evm.keepsOne64th],
    [PARAM_SELF_DESTRUCT_NEW_ACCOUNT, evm.selfDestructNewAccountGas],
    [PARAM_SELF_DESTRUCT_REFUND, evm.selfDestructRefund],
    [PARAM_DESTROYS_ONLY_NEW, eth.destroysOnlyNewContracts],
    [PARAM_NET_STORAGE, storage.net],
    [PARAM_STORAGE_SENTRY, storage.sentry],
    [PARAM_STORAGE_NOOP, storage.noop],
    [PARAM_STORAGE_SET, storage.set],
    [PARAM_STORAGE_RESET, storage.reset],
    [PARAM_STORAGE_CLEAR_REFUND, storage.clearRefund],
    [PARAM_MAX_CODE_BYTES, unlimitedCodeSize ? 0 : (evm.maxCodeBytes ?? 0)],
    [PARAM_MAX_INIT_CODE_BYTES, unlimitedCodeSize ? 0 : (eth.maxInitCodeBytes ?? 0)],
    [PARAM_INIT_CODE_WORD, eth.initCodeWordGas],
    [PARAM_REJECTS_EF, evm.rejectsEfCode],
    [PARAM_CREATION_MUST_PAY, evm.creationMustPay],
    [PARAM_CONTRACT_NONCE, evm.contractNonce],
    [PARAM_DELEGATIONS, evm.delegations],
    [PARAM_SHA256_BASE, sha256.base],
    [PARAM_SHA256_WORD, sha256.word],
    [PARAM_IDENTITY_BASE, identity.base],
    [PARAM_IDENTITY_WORD, identity.word],
  ]
}

const LAST_FOLLOWED_ONLY: EthFork = 'amsterdam'

/** Throws `evm/misuse` for a fork of L1 that is followed but not executed. */
export function refuseFollowedFork(fork: EthFork): void {
  if (fork !== LAST_FOLLOWED_ONLY) return
  throw new EvmError(
    'evm/misuse',
    `this release does not execute blocks of L1 fork ${fork}: it follows such an L1 and sends transactions to it; ` +
      'simulate L1 under osaka or an earlier fork',
    { fork },
  )
}
