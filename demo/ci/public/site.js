document.querySelector('#tide').textContent = 'The tide is high.';
