import { type Hash, type Hex, hexToBytes } from '@keelson/primitives'
import type { Database } from '../storage/database.ts'
import type { CreationCode } from './creation-code.ts'
import type { MatchKind } from './match-code.ts'
import { VerifyRefusal } from './verify-refusal.ts'

/** Describes code by its hash, so it serves every address with that code and no reorg changes it. */
export interface VerifiedContract {
  readonly match: MatchKind
  readonly file: string
  readonly contract: string
  readonly compilerVersion: string
  readonly settings: object
  readonly sources: Readonly<Record<string, string>>
  readonly abi: readonly object[]
  readonly libraries: Readonly<Record<string, Hex>>
  /** Null when the compiled code lacks the address of a library. */
  readonly creation: CreationCode | null
}

export interface VerifiedStore {
  find(codeHash: Hash): Promise<VerifiedContract | null>
  /** Only an exact match replaces one that is there, and only a partial one. Returns what is stored. Throws VerifyRefusal `full`. */
  save(codeHash: Hash, verified: VerifiedContract): Promise<VerifiedContract>
}

const MAX_STORED_BYTES = 2 * 1024 ** 3

export function createVerifiedStore(db: Database, maxStoredBytes = MAX_STORED_BYTES): VerifiedStore {
  const find: VerifiedStore['find'] = async (codeHash) => {
    const [row] = await db.query<{ content: string }>('select content from verified_contracts where code_hash = $1', [hexToBytes(codeHash)])
    return row === undefined ? null : ({ creation: null, ...JSON.parse(row.content) } as VerifiedContract)
  }
  return {
    find,
    async save(codeHash, verified) {
      const content = JSON.stringify(verified)
      const bytes = Buffer.byteLength(content)
      const [sum] = await db.query<{ bytes: string }>('select coalesce(sum(bytes), 0)::text as bytes from verified_contracts')
      if (Number(sum?.bytes) + bytes > maxStoredBytes)
        throw new VerifyRefusal('full', 'the store of verified contracts is full', 'a request to the operator')
      await db.query(
        `insert into verified_contracts (code_hash, match, content, bytes) values ($1, $2, $3, $4)
          on conflict (code_hash) do update set match = excluded.match, content = excluded.content, bytes = excluded.bytes
          where verified_contracts.match = 'partial' and excluded.match = 'exact'`,
        [hexToBytes(codeHash), verified.match, content, bytes],
      )
      return (await find(codeHash)) ?? verified
    },
  }
}
