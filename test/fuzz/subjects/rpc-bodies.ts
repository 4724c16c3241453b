import fc, { type Arbitrary } from 'fast-check'
import { brokenBytes, changeJson, jsonChange } from '../mutate.ts'
import { validParams } from '../rpc-params.ts'
import { assertAnswer, createRpcWorld } from '../rpc-world.ts'
import { defineSubject } from '../subject.ts'

interface Case {
  readonly body: string
}

export const rpcBodySubject = defineSubject<Case>({
  name: 'rpc-bodies',
  cases: 40_000,
  caseLimitMs: 20_000,
  async open() {
    const { world, facts, send } = await createRpcWorld('public')
    const request = fc.constantFrom(...Object.keys(world.node.methods)).chain((method) =>
      fc.record({
        jsonrpc: fc.constant('2.0'),
        id: fc.oneof(fc.nat(), fc.constantFrom(null, 'a', 1.5, '')),
        method: fc.constant(method),
        params: validParams(method, facts),
      }),
    )
    const batch: Arbitrary<unknown> = fc.oneof(
      { weight: 4, arbitrary: request },
      { weight: 1, arbitrary: fc.array(request, { maxLength: 4 }) },
    )
    const changed = fc
      .tuple(batch, fc.array(jsonChange, { minLength: 1, maxLength: 3 }))
      .map(([value, changes]) => JSON.stringify(changes.reduce(changeJson, value)))
    const encoder = new TextEncoder()
    const decoder = new TextDecoder()
    const garbled = brokenBytes(batch.map((value) => encoder.encode(JSON.stringify(value)))).map((bytes) => decoder.decode(bytes))
    return {
      arbitrary: fc.record({ body: fc.oneof({ weight: 3, arbitrary: changed }, { weight: 1, arbitrary: garbled }) }),
      check: async ({ body }) => assertAnswer(await send(body)),
      close: () => world.stop(),
    }
  },
})
