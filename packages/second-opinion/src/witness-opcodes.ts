/** Opcodes for which the library reads state that no execution needs, and so no witness has. */
import { type Common, Hardfork } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getOpcodesForHF, paramsEVM } from '@ethereumjs/evm'
import { Address, bigIntToBytes, bytesToBigInt, setLengthLeft } from '@ethereumjs/util'

type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
type AddedOpcode = Extract<CustomOpcode, { readonly logicFunction: unknown }>
type RunState = Parameters<AddedOpcode['logicFunction']>[0]
/** `base` is the price before anything dynamic. */
type LeastGas = (runState: RunState, base: bigint, common: Common) => bigint

const EXTCODEHASH = 0x3f
const ADDRESS_BITS = 160

/** Gas without which the opcode halts whatever the state; the library reads the state first. */
const LEAST_GAS: ReadonlyMap<number, LeastGas> = new Map<number, LeastGas>([
  // SSTORE, EIP-2200
  [0x55, (_runState, base, common) => (common.gteHardfork(Hardfork.Istanbul) ? common.param('sstoreSentryEIP2200Gas') + 1n : base)],
  // CALL, CALLCODE, DELEGATECALL, STATICCALL
  ...[0xf1, 0xf2, 0xf4, 0xfa].map((call) => [call, priceOfCall] as const),
  // SELFDESTRUCT
  [0xff, (runState, base, common) => base + (isCold(runState, 0, common) ? common.param('coldaccountaccessGas') : 0n)],
])

/** Prices and logic are the library's, except where this file says otherwise. */
export function witnessOpcodes(common: Common): AddedOpcode[] {
  // As the library does when it opens an EVM.
  common.updateParams(paramsEVM)
  const { opcodes, handlers, dynamicGasHandlers } = getOpcodesForHF(common)
  return [EXTCODEHASH, ...LEAST_GAS.keys()].flatMap((opcode) => {
    const [info, logicFunction] = [opcodes.get(opcode), handlers.get(opcode)]
    if (info === undefined || logicFunction === undefined) return []
    const gasFunction = info.dynamicGas ? dynamicGasHandlers.get(opcode) : undefined
    const added: AddedOpcode = { opcode, opcodeName: info.name, baseFee: info.fee, logicFunction, ...(gasFunction && { gasFunction }) }
    const leastGas = LEAST_GAS.get(opcode)
    return [leastGas === undefined ? { ...added, logicFunction: pushCodeHash } : refusingEarly(added, leastGas)]
  })
}

/** The account has the hash; the library reads the code too. */
const pushCodeHash: AddedOpcode['logicFunction'] = async ({ stack, stateManager }) => {
  const account = await stateManager.getAccount(addressOf(stack.pop()))
  stack.push(account === undefined || account.isEmpty() ? 0n : bytesToBigInt(account.codeHash))
}

function refusingEarly(added: AddedOpcode, leastGas: LeastGas): AddedOpcode {
  return {
    ...added,
    async gasFunction(runState, base, common) {
      if (runState.interpreter.getGasLeft() < leastGas(runState, base, common)) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
      return added.gasFunction?.(runState, base, common) ?? base
    },
  }
}

function priceOfCall(runState: RunState, base: bigint, common: Common): bigint {
  if (!common.isActivatedEIP(2929)) return base
  return base + common.param(isCold(runState, 1, common) ? 'coldaccountaccessGas' : 'warmstoragereadGas')
}

/** EIP-2929 */
function isCold({ stack, interpreter }: RunState, below: number, common: Common): boolean {
  if (!common.isActivatedEIP(2929)) return false
  const item = stack.peek(below + 1)[below]
  return item !== undefined && !interpreter.journal.isWarmedAddress(addressOf(item).bytes)
}

function addressOf(item: bigint): Address {
  return new Address(setLengthLeft(bigIntToBytes(BigInt.asUintN(ADDRESS_BITS, item)), ADDRESS_BITS / 8))
}
