/** Records a running validator's account, because its owner's transactions could reuse a nonce. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive } from '@keelson/devnet'
import { type Address, isHex, toAddress } from '@keelson/primitives'
import { asCalled } from '@keelson/runtime'

const noteIn = (dataDir: string) => join(dataDir, 'paying-account.json')

export function notePayingAccount(dataDir: string, account: Address): () => Promise<void> {
  writeFileSync(noteIn(dataDir), JSON.stringify({ account, pid: process.pid }))
  return async () => rmSync(noteIn(dataDir), { force: true })
}

export function findPayingAccount(dataDir: string): Address | null {
  try {
    const { account, pid } = JSON.parse(readFileSync(noteIn(dataDir), 'utf8')) as { account?: unknown; pid?: unknown }
    return isHex(account, 20) && typeof pid === 'number' && isAlive(pid) ? toAddress(account) : null
  } catch {
    return null
  }
}

export function sharedAccountWarning(dataDir: string | null, sender: Address): string | null {
  if (dataDir === null || findPayingAccount(dataDir) !== sender) return null
  return `warning: a ${asCalled('validator run')} of ${dataDir} pays from this account ${sender} too: both may take one nonce, and an attestation may come late. Run it with an account of its own`
}
