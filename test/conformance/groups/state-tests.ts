/** The public state tests, Frontier to Cancun: one transaction each, judged by state root and logs. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import { readTarGz } from '../read-tar.ts'
import { runStateTest, STATE_TEST_FORKS, type StateTest } from '../state-test.ts'

const ARCHIVES = ['GeneralStateTests.tar.gz', 'legacy-Cancun-GeneralStateTests.tar.gz']
/** Hundreds of millions of gas in loops, four thousand million rounds of BLAKE2: minutes each on the reference engine. */
const LONG = /\/(vmPerformance\/|CALLBlake2f_MaxRounds\.)/
const LEAST_CASES = 20_000

function casesOf(archive: string, path: string, file: Readonly<Record<string, StateTest>>): ConformanceCase[] {
  return Object.entries(file).flatMap(([name, test]) =>
    Object.entries(test.post ?? {}).flatMap(([forkName, posts]) => {
      const fork = STATE_TEST_FORKS[forkName]
      if (fork === undefined) return []
      return posts.map((post) => {
        const { data, gas, value } = post.indexes
        return {
          id: `${archive.split('-')[0]}/${path.replace(/\.json$/, '')}/${name}/${forkName}/${data}-${gas}-${value}`,
          long: LONG.test(path),
          run: () => runStateTest(test, fork, post),
        }
      })
    }),
  )
}

export function loadStateTests(vectors: string, archive: string): ConformanceCase[] {
  const cases: ConformanceCase[] = []
  for (const { path, bytes } of readTarGz(join(vectors, 'ethereum-tests', archive))) {
    if (path.endsWith('.json')) cases.push(...casesOf(archive, path, JSON.parse(bytes.toString('utf8'))))
  }
  return cases
}

export const stateTests: ConformanceGroup = {
  name: 'state-tests',
  load(vectors): ConformanceCase[] {
    const cases = ARCHIVES.flatMap((archive) => loadStateTests(vectors, archive))
    assert.ok(cases.length >= LEAST_CASES, `expected at least ${LEAST_CASES} cases, got ${cases.length}`)
    return cases
  },
}
