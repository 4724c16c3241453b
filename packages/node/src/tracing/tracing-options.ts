import { option, optionalOption, optionParsers as parse } from '@keelson/runtime'

export const tracingOptions = {
  tracingEndpoint: optionalOption({
    key: 'tracing.endpoint',
    parse: parse.httpUrl,
    description: 'OpenTelemetry collector (OTLP over HTTP) that receives a trace per block, such as http://127.0.0.1:4318.',
  }),
  tracingPercent: option({
    key: 'tracing.percent',
    parse: parse.integer(0, 100),
    default: 100,
    description: 'Percentage of blocks to trace; nodes with the same percentage trace the same blocks.',
  }),
} as const
