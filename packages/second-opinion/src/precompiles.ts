/** specs: protocol/precompiles.md, granite, isthmus and jovian exec-engine.md */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { EVMError, type EVMOpts, type ExecResult, getActivePrecompiles, type PrecompileInput } from '@ethereumjs/evm'
import { Address, bytesToUnprefixedHex, setLengthLeft } from '@ethereumjs/util'
import type { BlockRules } from '@keelson/chainspec'

type CustomPrecompiles = NonNullable<EVMOpts['customPrecompiles']>
type Precompile = (input: PrecompileInput) => Promise<ExecResult> | ExecResult

const BN254_PAIRING = 0x08
const BLS_G1_MSM = 0x0c
const BLS_G2_MSM = 0x0e
const BLS_PAIRING = 0x0f
const P256_VERIFY = 0x100
const AMPLE_GAS = 1_000_000n

function at(index: number): Address {
  return new Address(setLengthLeft(Uint8Array.of(index >> 8, index & 0xff), 20))
}

export function opPrecompiles(rules: BlockRules, common: Common): CustomPrecompiles {
  const limits = rules.precompileInputLimits
  return [
    ...limited(common, BN254_PAIRING, limits.bn256Pairing),
    ...limited(common, BLS_G1_MSM, limits.blsG1Msm),
    ...limited(common, BLS_G2_MSM, limits.blsG2Msm),
    ...limited(common, BLS_PAIRING, limits.blsPairing),
    ...p256Verify(rules.p256VerifyGas),
  ]
}

function limited(common: Common, index: number, maxBytes: number | null): CustomPrecompiles {
  const address = at(index)
  const standard = getActivePrecompiles(common).get(bytesToUnprefixedHex(address.bytes))
  if (standard === undefined || maxBytes === null) return []
  return [{ address, function: (input) => (input.data.length > maxBytes ? outOfGas(input) : standard(input)) }]
}

/** Osaka changes the price. */
function p256Verify(price: bigint | null): CustomPrecompiles {
  // An entry without a function makes the address warm.
  if (price === null) return []
  const address = at(P256_VERIFY)
  const osaka = getActivePrecompiles(new Common({ chain: Mainnet, hardfork: Hardfork.Osaka }))
  const verify = osaka.get(bytesToUnprefixedHex(address.bytes)) as Precompile
  return [
    {
      address,
      function: async (input) => {
        if (input.gasLimit < price) return outOfGas(input)
        return { ...(await verify({ ...input, gasLimit: AMPLE_GAS })), executionGasUsed: price }
      },
    },
  ]
}

function outOfGas(input: PrecompileInput): ExecResult {
  const exceptionError = new EVMError(EVMError.errorMessages.OUT_OF_GAS)
  return { returnValue: new Uint8Array(0), executionGasUsed: input.gasLimit, exceptionError }
}
