import assert from 'node:assert/strict'
import { createSeededRandom } from '@keelson/runtime'
import { ApiError } from '../http/api-error.ts'
import { createPasswords } from './passwords.ts'

const CHEAP = { memoryKiB: 64, passes: 1 }

describe('passwords', () => {
  it('match their own hash only, and never a missing hash', async () => {
    const passwords = await createPasswords({ concurrency: 2, maxWaiting: 10, ...CHEAP }, createSeededRandom(1))
    const [one, two] = [await passwords.hash('Grüße aus Köln', 'a'), await passwords.hash('Grüße aus Köln', 'a')]
    assert.notEqual(one, two)
    assert.equal(await passwords.verify('Grüße aus Köln'.normalize('NFD'), one, 'a'), true)
    assert.equal(await passwords.verify('Grüße aus Bonn', one, 'a'), false)
    assert.equal(await passwords.verify('Grüße aus Köln', null, 'a'), false)
  })

  it('are hashed a few at a time, with a 503 when the queue is full', async () => {
    const passwords = await createPasswords({ concurrency: 1, maxWaiting: 2, ...CHEAP }, createSeededRandom(1))
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => passwords.hash('password', 'a')))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    const refusal = outcomes[4]?.status === 'rejected' ? outcomes[4].reason : null
    assert.ok(refusal instanceof ApiError && refusal.status === 503)
    assert.match(await passwords.hash('password', 'a'), /^\$argon2id\$/)
  })

  it('of one address do not keep those of others waiting', async () => {
    const passwords = await createPasswords({ concurrency: 1, maxWaiting: 500, ...CHEAP }, createSeededRandom(1))
    const order: string[] = []
    const hash = (caller: string) => passwords.hash('password', caller).then(() => order.push(caller))
    const greedy = Array.from({ length: 100 }, () => hash('greedy'))
    const honest = [hash('b'), hash('c'), hash('b')]
    const outcomes = await Promise.allSettled([...greedy, ...honest])
    // One at work and 64 that wait.
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 100 - 65)
    assert.ok(outcomes.slice(100).every(({ status }) => status === 'fulfilled'))
    assert.deepEqual(order.slice(0, 6), ['greedy', 'greedy', 'b', 'c', 'greedy', 'b'])
  })

  it("use OWASP's minimum by default", async () => {
    const passwords = await createPasswords({ concurrency: 1, maxWaiting: 1 }, createSeededRandom(1))
    assert.match(await passwords.hash('password', 'a'), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  })
})
