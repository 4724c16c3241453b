import type { Database, OpenedDatabase } from '@keelson/platform'

/** `away` is an outage, `broken` an unexpected failure. */
export type DatabaseMood = 'well' | 'away' | 'broken'

export interface WeakDatabase extends OpenedDatabase {
  mood: DatabaseMood
  forestall(kind: 'update' | 'delete', statement: string): void
}

export const SECRET_OF_FAILURE = 'values of a query: hunter2'

export function createWeakDatabase(db: Database): WeakDatabase {
  const fail = () => {
    if (weak.mood === 'away') throw Object.assign(new Error(SECRET_OF_FAILURE), { code: 'ECONNREFUSED' })
    throw Object.assign(new Error(SECRET_OF_FAILURE), { code: '42P01' })
  }
  let coming: { readonly kind: string; readonly statement: string } | null = null
  const ignore = () => undefined
  const guarded = new Proxy(db, {
    get(target, name) {
      const member = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      if (weak.mood !== 'well') return fail
      if (coming?.kind === name) {
        db.execute(coming.statement).then(ignore, ignore)
        coming = null
      }
      return member.bind(target)
    },
  })
  const weak: WeakDatabase = {
    mood: 'well',
    db: guarded,
    engine: 'pglite',
    isLeader: async () => true,
    async trouble() {
      if (weak.mood === 'broken') fail()
      return weak.mood === 'well' ? null : 'unreachable'
    },
    forestall(kind, statement) {
      coming = { kind, statement }
    },
    close: async () => undefined,
  }
  return weak
}
