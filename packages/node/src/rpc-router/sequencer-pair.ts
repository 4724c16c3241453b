import { maskUrl, optionParsers as parse } from '@keelson/runtime'

export interface SequencerPair {
  /** RPC of the execution client. */
  readonly execution: string
  /** RPC of the consensus client. */
  readonly rollup: string
}

/** Execution and consensus client of a sequencer, as URL=URL. */
export const sequencerPair = Object.assign(
  (value: unknown): SequencerPair => {
    const [, execution, rollup] = /^(https?:\/\/.+?)=(https?:\/\/.+)$/.exec(parse.text(value)) ?? []
    // The value may hold an API key.
    if (execution === undefined || rollup === undefined)
      throw new parse.OptionValueError('expected URL=URL such as http://10.0.0.1:8545=http://10.0.0.1:9545')
    return { execution: parse.httpUrl(execution), rollup: parse.httpUrl(rollup) }
  },
  {
    placeholder: '<url=url>',
    schema: parse.text.schema,
    show: ({ execution, rollup }: SequencerPair) => `${maskUrl(execution)}=${maskUrl(rollup)}`,
  },
)
