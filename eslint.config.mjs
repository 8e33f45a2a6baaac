import tseslint from 'typescript-eslint';

const DATABASE_IMPORTS = ['typeorm', '@nestjs/typeorm', 'pg', 'sql-template-tag'];

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', '.agentrelay/', 'packages/', 'examples/*/dist/'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Nest modules are classes without members.
      '@typescript-eslint/no-extraneous-class': [
        'error',
        { allowWithDecorator: true, allowConstructorOnly: true, allowStaticOnly: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // ENV-like records are read by name, and names from outside are not ours to trust as properties.
      '@typescript-eslint/dot-notation': 'off',
      // An empty variable or string counts as absent here; DTOs and options are plain objects of a class's shape.
      '@typescript-eslint/prefer-nullish-coalescing': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-unnecessary-type-arguments': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      'no-console': 'error',
    },
  },
  {
    // Constructor parameters are injected by their run-time type.
    files: ['apps/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-imports': 'off' },
  },
  {
    // Only repositories and the database module touch the data source.
    files: ['apps/relay/src/**/*.ts'],
    ignores: [
      '**/*.repository.ts',
      '**/*.sql.ts',
      '**/*.entity.ts',
      '**/*.module.ts',
      'apps/relay/src/database/**',
      'apps/relay/src/entities.ts',
      'apps/relay/src/extension.ts',
      'apps/relay/src/raise-epoch.ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: DATABASE_IMPORTS.map((name) => ({ name, message: 'SQL lives in *.repository.ts.' })) },
      ],
    },
  },
  {
    files: ['test/**/*.ts', '**/*.spec.ts', 'libs/testing/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);
