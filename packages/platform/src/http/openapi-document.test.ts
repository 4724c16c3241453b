import assert from 'node:assert/strict'
import { orderDocument } from './openapi-document.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const answers = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, { description: 'x' }]))

describe('the order of /openapi.json', () => {
  const swap = { type: 'object', properties: { input: ref('SwapInputInput') } }
  const document = orderDocument({
    openapi: '3.1.0',
    paths: {
      '/swap': {
        post: {
          'x-answer-headers': { 'X-Id': 'its name' },
          body: ref('SwapInput'),
          ok: ref('Note'),
          note: ref('NoteInput'),
          responses: answers(200, 401, 404, 429, 503),
        },
      },
    },
    components: {
      schemas: {
        ...{ Swap: { ...swap, properties: { input: ref('SwapInput') } }, SwapInput: swap },
        ...{ SwapInputInput: { type: 'integer' }, Note: { additionalProperties: false }, NoteInput: {}, Left: {}, LeftInput: {} },
      },
      securitySchemes: { Token: {} },
    },
  }) as never as {
    paths: { '/swap': { post: { responses: Record<string, { headers?: object }> } } }
    components: Record<string, Record<string, unknown>>
  }

  it('has one component of a schema, two where question and answer differ, and none that nobody refers to', () => {
    const { schemas, securitySchemes } = document.components
    assert.deepEqual(Object.keys(schemas ?? {}), ['Note', 'NoteInput', 'Swap', 'SwapInputInput'])
    assert.deepEqual(securitySchemes, { Token: {} })
    const { post } = document.paths['/swap']
    assert.deepEqual({ ...post, responses: null }, { body: ref('Swap'), ok: ref('Note'), note: ref('NoteInput'), responses: null })
    assert.deepEqual(schemas?.Swap, swap)
  })

  it('names the headers of an answer by its status', () => {
    const headers = Object.entries(document.paths['/swap'].post.responses).map(([status, { headers = {} }]) => [
      status,
      Object.keys(headers).length,
    ])
    assert.deepEqual((document.paths['/swap'].post.responses['200']?.headers as Record<string, unknown> | undefined)?.['X-Id'], {
      description: 'its name',
      schema: { type: 'string' },
    })
    assert.deepEqual(headers, [
      ['200', 5],
      ['401', 1],
      ['404', 0],
      ['429', 5],
      ['503', 1],
    ])
    assert.ok(Object.keys(document.components.headers ?? {}).includes('Retry-After'))
  })
})
