import { z } from 'zod';
import { configSchema } from './schema.ts';

const reference = String.raw`\$\{env\.[^}]*\}`;

/** The JSON Schema of jano.yaml for editors, as plain data; jano.schema.json holds a copy. */
export function describeSchema(): unknown {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, {
    // The draft that the YAML language server and most editors know best.
    target: 'draft-07',
    io: 'input',
    override: ({ jsonSchema }) => {
      // An editor sees `${env.NAME}`, not what it stands for.
      if (jsonSchema.pattern !== undefined) jsonSchema.pattern += `|${reference}`;
    },
  });
  return JSON.parse(JSON.stringify({ $schema, title: 'The configuration of Jano', ...schema }));
}
