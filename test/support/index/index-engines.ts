import { createSilentLogger } from '@keelson/runtime'
import type { Database } from '../../../packages/apps/src/index/storage/database.ts'
import { openMemoryPglite } from '../../../packages/apps/src/index/storage/open-pglite.ts'
import { openPostgres } from '../../../packages/apps/src/index/storage/open-postgres.ts'
import { type PostgresSource, postgresSources } from '../postgres.ts'

export interface IndexEngine {
  readonly name: string
  /** Two databases of their own, each empty. */
  open(): Promise<{ readonly first: Database; readonly second: Database; close(): Promise<void> }>
}

const EMBEDDED: IndexEngine = {
  name: 'the embedded database',
  async open() {
    const [first, second] = [await openMemoryPglite(), await openMemoryPglite()]
    return { first, second, close: () => Promise.all([first.close(), second.close()]).then(() => undefined) }
  },
}

export function connect(url: string): Promise<Database> {
  return openPostgres({ url, maxConnections: 4 }, createSilentLogger())
}

function server(source: PostgresSource): IndexEngine {
  return {
    name: source.name,
    async open() {
      const postgres = await source.open()
      const [one, two] = [await postgres.createDatabase(), await postgres.createDatabase()]
      const [first, second] = [await connect(one.url), await connect(two.url)]
      return {
        first,
        second,
        async close() {
          await Promise.all([first.close(), second.close()])
          await Promise.all([one.drop(), two.drop()])
          await postgres.stop()
        },
      }
    },
  }
}

export const INDEX_ENGINES: readonly IndexEngine[] = [EMBEDDED, ...postgresSources().map(server)]
