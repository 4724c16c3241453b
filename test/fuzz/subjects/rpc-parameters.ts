import fc from 'fast-check'
import { anyParam, validParams } from '../rpc-params.ts'
import { assertAnswer, createRpcWorld } from '../rpc-world.ts'
import { defineSubject } from '../subject.ts'

interface Case {
  readonly method: string
  readonly params: readonly unknown[]
}

export const rpcParameterSubject = defineSubject<Case>({
  name: 'rpc-parameters',
  cases: 60_000,
  caseLimitMs: 20_000,
  async open() {
    const { world, facts, send } = await createRpcWorld('public')
    const wild = fc.array(anyParam(facts), { maxLength: 5 })
    return {
      arbitrary: fc.constantFrom(...Object.keys(world.node.methods)).chain((method) =>
        fc.record({
          method: fc.constant(method),
          params: fc.oneof(
            { weight: 1, arbitrary: validParams(method, facts) },
            { weight: 2, arbitrary: wild },
            {
              weight: 3,
              arbitrary: fc
                .tuple(validParams(method, facts), fc.nat(4), anyParam(facts))
                .map(([params, at, other]) => Object.assign([...params], { [Math.min(at, params.length)]: other })),
            },
          ),
        }),
      ),
      check: async ({ method, params }) => assertAnswer(await send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))),
      close: () => world.stop(),
    }
  },
})
