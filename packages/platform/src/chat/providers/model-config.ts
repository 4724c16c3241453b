/** Which model answers, as the operator says. */
import type { Secret } from '@keelson/runtime'

/** The interface that the model's service speaks, not who runs it. */
export type ModelProvider = 'openai' | 'anthropic'

export interface ModelConfig {
  readonly provider: ModelProvider
  /** Up to and with the version: `https://api.example.com/v1`. */
  readonly url: string
  readonly model: string
  /** Null for a service that takes none. */
  readonly key: Secret | null
  /** Of one answer of the model, of which a turn may have several. */
  readonly maxOutputTokens: number
  /** After 429, 5xx and broken connections, before the first word. */
  readonly retries: number
}

export const DEFAULT_ANTHROPIC_URL = 'https://api.anthropic.com/v1'

/** For messages and logs. */
export function modelLabel({ provider, url, model }: Pick<ModelConfig, 'provider' | 'url' | 'model'>): string {
  return `${provider} model ${model} (${new URL(url).host})`
}
