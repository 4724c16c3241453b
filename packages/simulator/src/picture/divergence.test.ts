import assert from 'node:assert/strict'
import { Divergence } from './divergence.ts'

const heads = (unsafe: readonly [number, string], rest: readonly [number, string] = [0, '00000000']) => ({
  unsafe: { number: unsafe[0], hash: unsafe[1] },
  safe: { number: rest[0], hash: rest[1] },
  finalized: { number: 0, hash: '00000000' },
})

describe('the divergence of chains', () => {
  it('is not seen in a node that is behind on the same chain, or ahead', () => {
    const divergence = new Divergence()
    assert.deepEqual(divergence.look([null, heads([5, 'aaaaaaa5']), heads([5, 'aaaaaaa5'])]), [])
    assert.deepEqual(divergence.look([null, heads([6, 'aaaaaaa6']), heads([5, 'aaaaaaa5'])]), [])
    assert.deepEqual(divergence.look([null, heads([6, 'aaaaaaa6']), heads([7, 'bbbbbbb7'])]), [])
  })

  it('is seen in another block at a height that the first node had', () => {
    const divergence = new Divergence()
    divergence.look([heads([5, 'aaaaaaa5']), heads([4, 'aaaaaaa4'])])
    assert.deepEqual(divergence.look([heads([6, 'aaaaaaa6']), heads([5, 'bbbbbbb5'])]), [1])
    assert.deepEqual(divergence.look([heads([6, 'aaaaaaa6']), heads([6, 'aaaaaaa6'], [5, 'bbbbbbb5'])]), [1])
  })

  it('forgets blocks that the first node gave up', () => {
    const divergence = new Divergence()
    divergence.look([heads([8, 'aaaaaaa8']), null])
    assert.deepEqual(divergence.look([heads([6, 'ccccccc6']), heads([8, 'ddddddd8'])]), [])
  })
})
