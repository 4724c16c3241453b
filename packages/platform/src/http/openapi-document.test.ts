import assert from 'node:assert/strict'
import { orderDocument } from './openapi-document.ts'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('the order of /openapi.json', () => {
  const swap = { type: 'object', properties: { input: ref('SwapInputInput') } }
  const document = orderDocument({
    openapi: '3.1.0',
    paths: {
      '/swap': {
        post: {
          body: ref('SwapInput'),
          ok: ref('Note'),
          note: ref('NoteInput'),
        },
      },
    },
    components: {
      schemas: {
        Swap: { ...swap, properties: { input: ref('SwapInput') } },
        SwapInput: swap,
        SwapInputInput: { type: 'integer' },
        Note: { additionalProperties: false },
        NoteInput: {},
        Left: {},
        LeftInput: {},
      },
      securitySchemes: { Token: {} },
    },
  }) as never as {
    paths: { '/swap': { post: object } }
    components: Record<string, Record<string, unknown>>
  }

  it('has one component per schema, two where request and response differ, and none without references', () => {
    const { schemas, securitySchemes } = document.components
    assert.deepEqual(Object.keys(schemas ?? {}), ['Note', 'NoteInput', 'Swap', 'SwapInputInput'])
    assert.deepEqual(securitySchemes, { Token: {} })
    const { post } = document.paths['/swap']
    assert.deepEqual(post, { body: ref('Swap'), ok: ref('Note'), note: ref('NoteInput') })
    assert.deepEqual(schemas?.Swap, swap)
  })
})
