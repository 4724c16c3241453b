import {
  type Address,
  bigintToBytes,
  bytesToHex,
  concatBytes,
  keccak256,
  parseAddress,
  parseData,
  type Signature,
  utf8ToBytes,
} from '@keelson/primitives'
import type { RpcMethods } from '@keelson/runtime'
import { argument } from '../params.ts'
import { hashTypedData } from './typed-data.ts'
import { type UnlockedAccounts, unknownAccount } from './unlocked-accounts.ts'

export function signMethods(unlocked: UnlockedAccounts, chainId: bigint): RpcMethods {
  const sign = (account: Address, digest: Uint8Array): string => {
    const signature = unlocked.sign(account, digest)
    if (signature === null) throw unknownAccount()
    return signatureHex(signature)
  }
  const data = (params: readonly unknown[], index: number) => argument(params, index, (value) => parseData(value, 'data'))
  const account = (params: readonly unknown[], index: number) => argument(params, index, parseAddress)
  return {
    eth_accounts: () => unlocked.addresses,
    eth_sign: (params) => sign(account(params, 0), messageDigest(data(params, 1))),
    /** The third parameter is a password, which unlocked accounts do not need. */
    personal_sign(params) {
      const message = data(params, 0)
      return sign(account(params, 1), messageDigest(message))
    },
    eth_signTypedData_v4: (params) =>
      sign(
        account(params, 0),
        argument(params, 1, (value) => hashTypedData(value, chainId)),
      ),
  }
}

/** EIP-191, version E. */
function messageDigest(message: Uint8Array): Uint8Array {
  return keccak256(concatBytes(utf8ToBytes(`\x19Ethereum Signed Message:\n${message.length}`), message))
}

function signatureHex({ r, s, yParity }: Signature): string {
  return bytesToHex(concatBytes(bigintToBytes(r, 32), bigintToBytes(s, 32), Uint8Array.of(27 + yParity)))
}
