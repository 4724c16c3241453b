import assert from 'node:assert/strict'
import { parseFlags, resolveOptions } from '@keelson/runtime'
import { forkAtOptions, forkTimesOf, genesisForkOf } from './fork-at.ts'

const read = (...args: string[]) => resolveOptions(forkAtOptions, { flags: parseFlags(args, forkAtOptions).flags, env: {} })

describe('--fork-at', () => {
  it('may be given several times and names known forks and whole seconds', () => {
    const { values } = read('--fork-at', 'isthmus=30', '--fork-at', 'jovian=60')
    assert.deepEqual(values.forkAt, [
      ['isthmus', 30],
      ['jovian', 60],
    ])
    assert.deepEqual(forkTimesOf(values.forkAt, 1_000), { isthmus: 1_030, jovian: 1_060 })
    assert.throws(() => read('--fork-at', 'gotham=30'), /fork "gotham" is not known; there are regolith, .*lagoon/)
    assert.throws(() => read('--fork-at', 'jovian'), /expected NAME=SECONDS, got "jovian"/)
    assert.throws(() => read('--fork-at', 'jovian=0'), /jovian|from 1/)
    assert.throws(() => read('--fork-at', 'jovian=soon'), /whole number/)
  })

  it('leaves the fork before the first one to the genesis, unless one is chosen', () => {
    assert.equal(genesisForkOf(null, []), null)
    assert.equal(genesisForkOf('ecotone', []), 'ecotone')
    assert.equal(genesisForkOf(null, [['jovian', 60]]), 'isthmus')
    assert.equal(
      genesisForkOf(null, [
        ['karst', 10],
        ['jovian', 9],
      ]),
      'isthmus',
    )
    assert.equal(genesisForkOf('isthmus', [['jovian', 60]]), 'isthmus')
    assert.equal(genesisForkOf(null, [['azul', 60]]), 'jovian')
  })

  it('is refused out of order, twice, with a gap, and at or before the genesis fork', () => {
    const refused = (message: RegExp, ...args: Parameters<typeof genesisForkOf>) =>
      assert.throws(() => genesisForkOf(...args), { code: 'node/usage', message })
    refused(/fork jovian is set to 20, before isthmus at 30/, null, [
      ['isthmus', 30],
      ['jovian', 20],
    ])
    refused(/forks karst \(at 0, lineage op\) and azul \(at 20, lineage base\) exclude each other/, 'karst', [['azul', 20]])
    refused(/forks jovian and karst are both set to 20; from Jovian on, each fork needs a time of its own/, null, [
      ['jovian', 20],
      ['karst', 20],
    ])
    refused(/fork jovian is given twice/, null, [
      ['jovian', 20],
      ['jovian', 30],
    ])
    refused(/fork jovian is set to 20, but the fork before it, isthmus, is not scheduled/, 'holocene', [['jovian', 20]])
    refused(/fork jovian cannot activate later, because jovian is in force from the first block/, 'jovian', [['jovian', 20]])
    refused(/fork canyon cannot activate later, because jovian is in force/, 'jovian', [['canyon', 20]])
  })
})
