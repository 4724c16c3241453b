import assert from 'node:assert/strict'
import { toHash } from '@keelson/primitives'
import { BlockMemo, shareWhileAsked } from './block-memo.ts'

const hashOfNumber = (number: number) => toHash(`0x${number.toString(16).padStart(64, '0')}`)

describe('readings of a block', () => {
  it('are asked for once, also by those who come while they are under way', async () => {
    const memo = new BlockMemo()
    let asked = 0
    const read = async () => ++asked
    const block = { hash: hashOfNumber(1) }
    assert.deepEqual(await Promise.all([memo.read(block, 'pools', read), memo.read(block, 'pools', read)]), [1, 1])
    assert.equal(await memo.read(block, 'pools', read), 1)
    assert.equal(await memo.read(block, 'feeds', read), 2)
    assert.equal(await memo.read({ hash: hashOfNumber(2) }, 'pools', read), 3)
  })

  it('are asked for again when they failed', async () => {
    const memo = new BlockMemo()
    const block = { hash: hashOfNumber(1) }
    await assert.rejects(
      memo.read(block, 'pools', async () => {
        throw new Error('away')
      }),
      /away/,
    )
    assert.equal(await memo.read(block, 'pools', async () => 'there'), 'there')
  })

  it('are forgotten with the oldest blocks, and beyond so many of a block', async () => {
    const memo = new BlockMemo()
    let asked = 0
    const read = async () => ++asked
    for (let number = 0; number < 5; number++) await memo.read({ hash: hashOfNumber(number) }, 'pools', read)
    assert.equal(await memo.read({ hash: hashOfNumber(4) }, 'pools', read), 5)
    assert.equal(await memo.read({ hash: hashOfNumber(0) }, 'pools', read), 6)
    for (let i = 0; i < 256; i++) await memo.read({ hash: hashOfNumber(0) }, `more ${i}`, read)
    assert.equal(await memo.read({ hash: hashOfNumber(0) }, 'pools', read), 263)
  })
})

describe('a question that is asked at the same time by many', () => {
  it('is sent once, and again after an answer or an error', async () => {
    let asked = 0
    const ask = shareWhileAsked(async () => {
      asked++
      if (asked === 2) throw new Error('away')
      return asked
    })
    assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1])
    await assert.rejects(ask(), /away/)
    assert.equal(await ask(), 3)
  })
})
