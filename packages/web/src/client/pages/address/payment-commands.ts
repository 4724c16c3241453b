import type { ConfigDocument } from '../../../shared/config-document.ts'
import { isZeroAddress } from '../../format/hex.ts'

const AMOUNT = '0.1'

export interface PaymentCommands {
  readonly deposit: string
  readonly withdrawal: string
  readonly token: string
}

type Settings = Pick<ConfigDocument, 'commands'> & { readonly l2: Pick<ConfigDocument['l2'], 'publicRpcUrl'> }

/**
 * Commands that pay to an address. Null for the zero address, where everything is lost, and for an address with code, which
 * may refuse what it is sent or have no way to spend it.
 */
export function paymentCommands({ commands, l2 }: Settings, address: string, code: string): PaymentCommands | null {
  if (code !== '0x' || isZeroAddress(address)) return null
  const url = l2.publicRpcUrl ?? 'RPC_URL'
  return {
    deposit: `${commands.deposit} --amount ${AMOUNT} --to ${address}`,
    withdrawal: `${commands.withdraw} --amount ${AMOUNT} --to ${address}`,
    token: `cast send TOKEN "transfer(address,uint256)" ${address} AMOUNT --rpc-url ${url} --private-key KEY`,
  }
}
