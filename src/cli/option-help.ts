// Writes the table of options as text for a terminal.
import { environmentName, optionList } from '../foundation/config/options.js';

const textWidth = 80;
const indent = '      ';

/** Every option with its placeholder, help, default and environment variable. */
export function optionHelp(): string {
  return optionList
    .map((option) => {
      const facts = [`environment: ${environmentName(option)}`];
      if (option.default !== undefined && String(option.default) !== '')
        facts.unshift(`default: ${option.default}`);
      const text = `${wrap(option.help)}\n${indent}[${facts.join('; ')}]`;
      return `  --${option.name} ${option.kind.placeholder}\n${text}\n`;
    })
    .join('');
}

function wrap(paragraph: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of paragraph.split(' ')) {
    if (line !== indent && line.length + word.length >= textWidth) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
