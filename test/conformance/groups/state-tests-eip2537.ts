/** State tests of the BLS12-381 precompiles, as far as they call precompiles that exist today. */
import type { ConformanceCase, ConformanceGroup } from '../group.ts'
import type { StateTest } from '../state-test.ts'
import { type EthereumTestFile, loadEthereumTests } from '../vectors/ethereum-tests.ts'
import { isEip2537, stateTestCases } from './state-tests.ts'

/**
 * They were filled for a draft of EIP-2537 with nine precompiles. At the first two addresses the final ones are the same
 * functions; from 0x0d on the final ones are others, or there are none, so that neither a pass nor a failure says anything.
 */
const LAST_ADDRESS_OF_BOTH = 0x0cn
const LEFT_OUT =
  'filled for a draft of EIP-2537 that has other precompiles at the addresses from 0x0d on; the group precompiles judges the final ones'

/** The tests' contract calls the address that the first word after the selector names. */
function calledAddress(data: string): bigint {
  return BigInt(`0x${data.slice(10, 74)}`)
}

function casesOf(file: EthereumTestFile, leaveOut: (count: number) => void): ConformanceCase[] {
  const tests = Object.entries(file.content as Readonly<Record<string, StateTest & { transaction: { data: readonly string[] } }>>)
  return tests.flatMap(([name, test]) => {
    const cases = stateTestCases({ id: file.id, content: { [name]: test } })
    if (test.transaction.data.every((data) => calledAddress(data) <= LAST_ADDRESS_OF_BOTH)) return cases
    leaveOut(cases.length)
    return []
  })
}

export const stateTestsEip2537: ConformanceGroup = {
  name: 'state-tests-eip2537',
  under: ['ethereum-tests/'],
  load: (folder) =>
    loadEthereumTests(folder, { format: 'state', accepts: isEip2537 }, (file) =>
      casesOf(file, (count) => folder.leaveOut(LEFT_OUT, count)),
    ),
}
