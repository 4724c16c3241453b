/** All cases are known failures: the node has no GraphQL. */
import type { ConformanceGroup } from '../group.ts'

const FOLDER = 'hive/graphql/testcases/'

interface Query {
  readonly request: string
  readonly responses: readonly unknown[]
}

export const hiveGraphql: ConformanceGroup = {
  name: 'hive-graphql',
  under: [FOLDER],
  load: (folder) =>
    folder.casesOf(folder.paths(FOLDER, /\.json$/), (path) => {
      const { request, responses } = folder.json<Query>(path)
      if (typeof request !== 'string' || !Array.isArray(responses)) throw new Error('expected a request and its responses')
      return [
        {
          id: path.slice(FOLDER.length).replace(/\.json$/, ''),
          run: () => {
            throw new Error('the node has no GraphQL endpoint')
          },
        },
      ]
    }),
}
