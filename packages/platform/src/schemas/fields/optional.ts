import type { z } from 'zod'

/** Null in a request means that the field is not given: it becomes undefined. Query parameters and forms, which have no null, use `.optional()`. */
export function optional<S extends z.ZodType>(schema: S): OptionalField<S> {
  return schema.nullish().transform((value) => value ?? undefined) as unknown as OptionalField<S>
}

/** Zod takes the result of a transform for a required field. */
type OptionalField<S extends z.ZodType> = z.ZodType<
  z.output<S> | undefined,
  z.input<S> | null | undefined,
  z.core.$ZodTypeInternals<z.output<S> | undefined, z.input<S> | null | undefined> & { optin: 'optional'; optout: 'optional' }
>
