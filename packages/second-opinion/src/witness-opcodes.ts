/** Two opcodes for which the library reads state that no execution needs, and so no witness has. */
import { type Common, Hardfork } from '@ethereumjs/common'
import { EVMError, type EVMOpts, getOpcodesForHF, paramsEVM } from '@ethereumjs/evm'
import { Address, bigIntToBytes, bytesToBigInt, setLengthLeft } from '@ethereumjs/util'

type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]
type AddedOpcode = Extract<CustomOpcode, { readonly logicFunction: unknown }>

const EXTCODEHASH = 0x3f
const SSTORE = 0x55
const ADDRESS_BITS = 160

/** Prices and logic are the library's, except where this file says otherwise. */
export function witnessOpcodes(common: Common): AddedOpcode[] {
  // As the library does when it opens an EVM.
  common.updateParams(paramsEVM)
  const { opcodes, handlers, dynamicGasHandlers } = getOpcodesForHF(common)
  return [EXTCODEHASH, SSTORE].flatMap((opcode) => {
    const [info, logicFunction] = [opcodes.get(opcode), handlers.get(opcode)]
    if (info === undefined || logicFunction === undefined) return []
    const gasFunction = info.dynamicGas ? dynamicGasHandlers.get(opcode) : undefined
    const added: AddedOpcode = { opcode, opcodeName: info.name, baseFee: info.fee, logicFunction, ...(gasFunction && { gasFunction }) }
    if (opcode === EXTCODEHASH) return [{ ...added, logicFunction: pushCodeHash }]
    return common.gteHardfork(Hardfork.Istanbul) ? [refusingEarly(added)] : []
  })
}

/** The account has the hash; the library reads the code too. */
const pushCodeHash: AddedOpcode['logicFunction'] = async ({ stack, stateManager }) => {
  const address = new Address(setLengthLeft(bigIntToBytes(BigInt.asUintN(ADDRESS_BITS, stack.pop())), ADDRESS_BITS / 8))
  const account = await stateManager.getAccount(address)
  stack.push(account === undefined || account.isEmpty() ? 0n : bytesToBigInt(account.codeHash))
}

/** EIP-2200 refuses an SSTORE for its gas alone; the library reads the slot first. */
function refusingEarly(sstore: AddedOpcode): AddedOpcode {
  return {
    ...sstore,
    gasFunction(runState, gas, common) {
      const refused = runState.interpreter.getGasLeft() <= common.param('sstoreSentryEIP2200Gas')
      if (refused) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS)
      return sstore.gasFunction?.(runState, gas, common) as Promise<bigint>
    },
  }
}
