import assert from 'node:assert/strict'
import { expectLittleCpu } from '../../../../../test/support/cpu-time.ts'
import { InvalidRequest } from '../api-error.ts'
import { hasTooManyValues, readBody } from './request-body.ts'

const MEGABYTES = 10_000_000

describe('reading a body', () => {
  const json = (text: string) => readBody(text, 'application/json', false)
  async function refusedSoon(read: () => Promise<unknown>, expected: RegExp) {
    const judge = expectLittleCpu()
    await assert.rejects(read, (error) => error instanceof InvalidRequest && expected.test(error.message))
    judge('refusing it')
  }

  it('counts members, elements, lists and objects, but no commas in strings', () => {
    const values = (text: string) => {
      let most = 1
      while (hasTooManyValues(text, most)) most++
      return most
    }
    assert.equal(values('1'), 1)
    assert.equal(values('[1,2,3]'), 4)
    assert.equal(values('{"a":{"b":[]},"c":"x"}'), 5)
    assert.equal(values('["a,b,[{\\",\\\\","c"]'), 3)
    assert.equal(values('["never ends, at all'), 2)
  })

  it('refuses millions of small values without building them', async () => {
    await refusedSoon(() => json(`{"x":[${'0,'.repeat(MEGABYTES / 2)}0]}`), /at most 20000 values/)
    await refusedSoon(() => json(`[${'{},'.repeat(MEGABYTES / 3)}`), /at most 20000 values/)
    await refusedSoon(() => json(`{"x":[${'0,'.repeat(20_000)}0]}`), /at most 20000 values/)
    assert.deepEqual(await json(`[${'0,'.repeat(19_000)}0]`), Array(19_001).fill(0))
  })

  it('accepts long strings, up to the body limit', async () => {
    const text = 'x,'.repeat(MEGABYTES / 2)
    assert.deepEqual(await json(JSON.stringify({ text })), { text })
    await refusedSoon(() => json(`{"text":"${'\\n'.repeat(MEGABYTES / 2)}`), /not valid JSON/)
    await refusedSoon(() => json(' '.repeat(MEGABYTES)), /not valid JSON/)
  })

  it('refuses a form that is longer than any valid one', async () => {
    const urlencoded = 'application/x-www-form-urlencoded'
    await refusedSoon(() => readBody(`username=${'+'.repeat(MEGABYTES)}`, urlencoded, true), /at most 32768 characters/)
    await refusedSoon(() => readBody('a&'.repeat(MEGABYTES / 2), urlencoded, true), /at most 32768 characters/)
    const umlaut = encodeURIComponent('ü')
    assert.deepEqual(await readBody(`password=${umlaut.repeat(256)}`, urlencoded, true), { password: 'ü'.repeat(256) })
  })
})
