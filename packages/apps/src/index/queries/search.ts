import { type Address, type Hash, isHex, toAddress, toHash } from '@keelson/primitives'
import type { Sql } from '../storage/database.ts'
import { findBlock, findTransaction } from './chain-queries.ts'
import { findToken } from './token-queries.ts'
import { type TokenRow, tokenView } from './views.ts'

export type Found =
  | { readonly kind: 'block'; readonly number: number; readonly hash: string }
  | { readonly kind: 'transaction'; readonly hash: string }
  | { readonly kind: 'address'; readonly address: Address }
  | { readonly kind: 'token'; readonly token: ReturnType<typeof tokenView> }

const MAX_FOUND = 20

export async function search(sql: Sql, text: string): Promise<readonly Found[]> {
  if (isHex(text, 32)) return byHash(sql, toHash(text))
  if (isHex(text, 20)) return byAddress(sql, toAddress(text))
  const number = /^\d{1,15}$/.test(text) ? await blockFound(sql, Number(text)) : []
  return [...number, ...(await tokensNamed(sql, text))]
}

async function blockFound(sql: Sql, at: number | Hash): Promise<readonly Found[]> {
  const block = await findBlock(sql, at)
  return block === null ? [] : [{ kind: 'block', number: block.number, hash: block.hash }]
}

async function byHash(sql: Sql, hash: Hash): Promise<readonly Found[]> {
  const transaction = await findTransaction(sql, hash)
  return transaction === null ? blockFound(sql, hash) : [{ kind: 'transaction', hash }]
}

async function byAddress(sql: Sql, address: Address): Promise<readonly Found[]> {
  const token = await findToken(sql, address)
  return [...(token === null ? [] : [{ kind: 'token', token } as const]), { kind: 'address', address }]
}

async function tokensNamed(sql: Sql, text: string): Promise<readonly Found[]> {
  const pattern = `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  const rows = await sql.query<TokenRow>(
    `select * from tokens where (name is not null and lower(name) like $1) or (symbol is not null and lower(symbol) like $1)
      order by first_block, address limit $2`,
    [pattern, MAX_FOUND],
  )
  return rows.map((row) => ({ kind: 'token', token: tokenView(row) }))
}
