/** Keys of the funded accounts, which the first screen and the sequencer's execution client read. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatQuantity, parseAddress, parseHash, parseJsonArray, parseJsonObject, parseQuantity } from '@keelson/primitives'
import { DEFAULT_DEV_ACCOUNTS, type DevAccounts } from './chain-options.ts'

export function accountsFilePath(network: string): string {
  return join(network, 'dev-accounts.json')
}

export function writeAccountsFile(network: string, { balanceWei, accounts }: DevAccounts): void {
  const text = JSON.stringify({ balance: formatQuantity(balanceWei), accounts }, null, 2)
  writeFileSync(accountsFilePath(network), `${text}\n`, { mode: 0o600 })
}

/** A network with the default accounts has no file. Throws CodecError for other content. */
export function readAccountsFile(network: string): DevAccounts {
  let text: string
  try {
    text = readFileSync(accountsFilePath(network), 'utf8')
  } catch {
    return DEFAULT_DEV_ACCOUNTS
  }
  const { balance, accounts } = parseJsonObject(JSON.parse(text), 'the document')
  return {
    balanceWei: parseQuantity(balance, 'balance'),
    accounts: parseJsonArray(accounts, 'accounts', (value, what) => {
      const { address, privateKey } = parseJsonObject(value, what)
      return { address: parseAddress(address, `${what}.address`), privateKey: parseHash(privateKey, `${what}.privateKey`) }
    }),
  }
}
