import assert from 'node:assert/strict'
import { getIntrospectionQuery } from 'graphql'
import { judgeGraphQuery } from './graph-query.ts'

const refusal = (text: string): string => {
  const judged = judgeGraphQuery(text)
  return judged.ok ? 'accepted' : judged.why
}

describe('GraphQL queries of callers', () => {
  it('are accepted as one query within the limits', () => {
    for (const query of [
      '{ pools { id } }',
      'query Some($first: Int = 5) { pools(first: $first) { ...all } } fragment all on Pool { id token0 { symbol } }',
      'query { a: pools { id } ... on Query { b: pools { id } } }',
      getIntrospectionQuery(),
    ])
      assert.equal(refusal(query), 'accepted', query)
  })

  it('are refused as no query, or several', () => {
    for (const [text, why] of [
      ['mutation { burn }', /got a mutation/],
      ['subscription { blocks }', /got a subscription/],
      ['type Query { a: Int }', /definition of a schema/],
      ['{ a } query B { b }', /one query/],
      ['query A { a } query B { b }', /expected one query, got 2/],
      ['fragment f on Query { a }', /fragments alone/],
      ['{ pools { id }', /expected a GraphQL query: Syntax Error/],
      ['{ ...missing }', /fragment missing to be defined/],
      ['', /Syntax Error/],
    ] as const)
      assert.match(refusal(text), why, text)
  })

  it('are refused when they are deep, wide, long, or recursive', () => {
    const deep = (levels: number) => '{a'.repeat(levels) + '}'.repeat(levels)
    assert.equal(refusal(deep(20)), 'accepted')
    assert.match(refusal(deep(21)), /depth of at most 20/)
    assert.match(refusal(deep(1_300)), /depth of at most 20|too deeply/)
    const nested = (levels: number) => `{ a(v: ${'['.repeat(levels)}${']'.repeat(levels)}) }`
    assert.equal(refusal(nested(20)), 'accepted')
    for (const levels of [200, 1_900]) assert.match(refusal(nested(levels)), /so deeply|too deeply/)
    assert.match(refusal('{ ...f } fragment f on A { a { ...g } } fragment g on A { b { ...f } }'), /contain itself/)
    const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: a`).join(' ')} }`
    assert.equal(refusal(aliases(50)), 'accepted')
    assert.match(refusal(aliases(51)), /at most 50 aliases/)
    assert.match(refusal(`{ ${'a '.repeat(501)} }`), /at most 500 fields/)
    assert.match(refusal(`{ ${'a '.repeat(5_000)} }`), /GraphQL query: .*4000 tokens/i)
    assert.match(refusal(`{ a(text: "${'x'.repeat(20_000)}") }`), /at most 20000 characters/)
    // 2^30 fields in a short text
    const doubling = Array.from({ length: 30 }, (_, i) => `fragment f${i} on A { ${i === 0 ? 'a' : `...f${i - 1} ...f${i - 1}`} }`).join(
      ' ',
    )
    assert.match(refusal(`{ ...f29 } ${doubling}`), /at most 500 fields/)
  })
})
