import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { runStateTest, STATE_TEST_FORKS, type StateTest } from '../state-test.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'

const LONG = /\/(vmPerformance\/|CALLBlake2f_MaxRounds(\/|$))/

export function isEip2537(path: string): boolean {
  return /EIP2537/i.test(path)
}

export function stateTestCases({ id: path, content }: EthereumTestFile): ConformanceCase[] {
  return Object.entries(content as Readonly<Record<string, StateTest>>).flatMap(([name, test]) =>
    Object.entries(test.post).flatMap(([forkName, posts]) =>
      posts.map((post) => {
        const { data, gas, value } = post.indexes
        return {
          id: `${path}/${name}/${forkName}/${data}-${gas}-${value}`,
          long: LONG.test(path),
          run: () => {
            const fork = STATE_TEST_FORKS[forkName]
            if (fork === undefined) throw new Error(`unknown fork ${forkName}`)
            return runStateTest(test, fork, post)
          },
        }
      }),
    ),
  )
}

export const stateTests: ConformanceGroup = {
  name: 'state-tests',
  under: ['ethereum-tests/'],
  load: (folder) => loadEthereumTests(folder, { format: 'state', accepts: (path) => !isEip2537(path) }, stateTestCases),
}
