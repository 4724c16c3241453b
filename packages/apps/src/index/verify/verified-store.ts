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
  /**
   * Replaces a stored match only by a better one: an exact match is better than a partial one, and of two equal ones, that with the
   * creation code is better. A full store drops worse matches first, and of equal ones the larger. Returns what is stored. Throws
   * VerifyRefusal `full`.
   */
  save(codeHash: Hash, verified: VerifiedContract): Promise<VerifiedContract>
}

const MAX_STORED_BYTES = 2 * 1024 ** 3
/** Contracts that one new contract may displace. */
const MAX_DROPPED = 100

export function createVerifiedStore(db: Database, maxStoredBytes = MAX_STORED_BYTES): VerifiedStore {
  const find: VerifiedStore['find'] = async (codeHash) => {
    const [row] = await db.query<{ content: string }>('select content from verified_contracts where code_hash = $1', [hexToBytes(codeHash)])
    return row === undefined ? null : ({ creation: null, ...JSON.parse(row.content) } as VerifiedContract)
  }
  async function makeRoom(bytes: number, rank: number): Promise<void> {
    const [sum] = await db.query<{ bytes: string }>('select coalesce(sum(bytes), 0)::text as bytes from verified_contracts')
    let missing = Number(sum?.bytes) + bytes - maxStoredBytes
    if (missing <= 0) return
    const worse = await db.query<{ code_hash: Uint8Array; bytes: string }>(
      `select code_hash, bytes::text as bytes from verified_contracts where rank < $1 or (rank = $1 and bytes > $2)
        order by rank, bytes desc limit ${MAX_DROPPED}`,
      [rank, bytes],
    )
    const dropped = []
    for (const one of worse) {
      if (missing <= 0) break
      missing -= Number(one.bytes)
      dropped.push(one.code_hash)
    }
    if (missing > 0) throw new VerifyRefusal('full', 'the store of verified contracts is full', 'a request to the operator')
    for (const codeHash of dropped) await db.query('delete from verified_contracts where code_hash = $1', [codeHash])
  }

  return {
    find,
    async save(codeHash, verified) {
      const content = JSON.stringify(verified)
      const bytes = Buffer.byteLength(content)
      const rank = rankOf(verified)
      await makeRoom(bytes, rank)
      await db.query(
        `insert into verified_contracts (code_hash, match, content, bytes, rank) values ($1, $2, $3, $4, $5)
          on conflict (code_hash) do update
          set match = excluded.match, content = excluded.content, bytes = excluded.bytes, rank = excluded.rank
          where verified_contracts.rank < excluded.rank`,
        [hexToBytes(codeHash), verified.match, content, bytes, rank],
      )
      return (await find(codeHash)) ?? verified
    },
  }
}

function rankOf({ match, creation }: VerifiedContract): number {
  return (match === 'exact' ? 2 : 0) + (creation === null ? 0 : 1)
}
