/** Code of the preinstalls. specs: protocol/preinstalls.md */
import {
  type Address,
  bigintToBytes,
  concatBytes,
  type Hex,
  hexToBytes,
  isHex,
  keccak256,
  toAddress,
  utf8ToBytes,
} from '@keelson/primitives'
import { encodeParameters } from './abi/abi-encode.ts'
import { ContractError } from './contract-error.ts'
import { PREINSTALLS } from './predeploy-addresses.ts'

export interface Preinstall {
  readonly name: string
  readonly address: Address
  readonly code: Uint8Array
}

/** Immutables of Permit2 that depend on the chain id. */
export const PERMIT2_CHAIN_ID_OFFSET = 6945
export const PERMIT2_DOMAIN_SEPARATOR_OFFSET = 6983

/** Throws ContractError `contracts/artifact`. */
export function decodePreinstalls(json: unknown, chainId: bigint): readonly Preinstall[] {
  const entries = Object.entries(json as Record<string, { address: string; code: Hex }>)
  return entries.map(([name, entry]) => {
    if (!isHex(entry.address, 20) || !isHex(entry.code)) throw new ContractError('contracts/artifact', `preinstall ${name} is malformed`)
    const address = toAddress(entry.address)
    const code = hexToBytes(entry.code)
    return { name, address, code: address === PREINSTALLS.Permit2 ? permit2Code(code, chainId) : code }
  })
}

/** At genesis only if the rules call it. */
export const BEACON_ROOTS_NAME = 'BeaconBlockRoots'

/** EIP-712 domain: name, chain id, contract. */
function permit2DomainSeparator(chainId: bigint): Uint8Array {
  const typeHash = keccak256(utf8ToBytes('EIP712Domain(string name,uint256 chainId,address verifyingContract)'))
  const nameHash = keccak256(utf8ToBytes('Permit2'))
  return keccak256(concatBytes(typeHash, nameHash, encodeParameters('uint256,address', [chainId, PREINSTALLS.Permit2])))
}

function permit2Code(template: Uint8Array, chainId: bigint): Uint8Array {
  const code = template.slice()
  code.set(bigintToBytes(chainId, 32), PERMIT2_CHAIN_ID_OFFSET)
  code.set(permit2DomainSeparator(chainId), PERMIT2_DOMAIN_SEPARATOR_OFFSET)
  return code
}
